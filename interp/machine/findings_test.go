package machine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// Machines of many kinds, each a file of files, with what is found on it. With
// VERSUS_UPDATE_MACHINES=1 the latter is written.
func TestFindings(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			root, want, at := fstest.MapFS{}, "", len(a.Files)
			for i, f := range a.Files {
				if f.Name == "want" {
					want, at = string(f.Data), i
					continue
				}
				root[f.Name] = &fstest.MapFile{Data: f.Data}
			}
			var got strings.Builder
			for _, f := range At(root).Findings() {
				fmt.Fprintf(&got, "%s: %s: %s\n", f.Level, f.Topic, f.Found)
				if f.Change != "" {
					fmt.Fprintf(&got, "\t%s\n", f.Change)
				}
				if (f.Effect == "") != (f.Level == Fine || f.Level == Unknown) {
					t.Errorf("%s is a %s with the effect %q", f.Topic, f.Level, f.Effect)
				}
			}
			if os.Getenv("VERSUS_UPDATE_MACHINES") != "" {
				a.Files = append(a.Files[:at], txtar.File{Name: "want", Data: []byte(got.String())})
				if err := os.WriteFile(name, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(want, got.String()); d != "" {
				t.Error(d)
			}
		})
	}
}
