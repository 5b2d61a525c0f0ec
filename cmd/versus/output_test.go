package main

import (
	"os"
	"path/filepath"
	"testing"
)

// A page replaces an older one, and a device, as /dev/stdout is one, stays one.
func TestReplace(t *testing.T) {
	folder := t.TempDir()
	file, device := filepath.Join(folder, "page.html"), filepath.Join(folder, "device")
	if err := os.Symlink(os.DevNull, device); err != nil {
		t.Fatal(err)
	}
	for _, content := range []string{"one", "another"} {
		for _, name := range []string{file, device} {
			if err := replace(name, []byte(content)); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != content {
			t.Errorf("%q, %v", got, err)
		}
	}
	if info, err := os.Lstat(device); err != nil || info.Mode().Type() != os.ModeSymlink {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 2 {
		t.Errorf("%v, %v", left, err)
	}
}
