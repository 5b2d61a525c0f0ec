package host

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Who builds versus anew while it runs still measures with the one that runs.
func TestProgramIsReplaced(t *testing.T) {
	text, err := os.ReadFile(running)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "versus")
	if err := os.WriteFile(path, text, 0o755); err != nil {
		t.Fatal(err)
	}
	hash, _, err := hashOf(path)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path)
	cmd.Env = append(os.Environ(), replacedEnv+"=1")
	out, err := cmd.CombinedOutput()
	if want := hash + " " + greeting + " <nil> <nil>"; err != nil || strings.TrimSpace(string(out)) != want {
		t.Errorf("%q, %v, want %q", out, err, want)
	}
	if path, err := os.Executable(); err != nil || self() != path {
		t.Errorf("it calls itself %q, not %q, %v", self(), path, err)
	}
}
