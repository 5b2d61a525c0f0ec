package dsl

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"

	"versus/dsl/schema"
)

// testConfig has two drivers made up for tests of the language.
func testConfig() Config {
	return Config{Drivers: []schema.Kind{
		{Name: "fast", Doc: "A driver of the tests.", Attrs: []schema.Attr{
			{Name: "version", Type: schema.String, Default: `"1.1"`, OneOf: []string{"1.1", "2"}},
			{Name: "threads", Type: schema.Integer, Min: 1, Max: 100, Default: "1"},
		}, Blocks: []schema.Block{{Type: "broker", Labels: []schema.Label{{Name: "kind", Kind: true}},
			Kinds: []schema.Kind{{Name: "embedded"}, {Name: "mosquitto", Attrs: []schema.Attr{{Name: "path", Type: schema.String}}}}}}},
		{Name: "replay", Attrs: []schema.Attr{
			{Name: "dataset", Type: schema.DatasetRef, Required: true}, {Name: "metrics", Type: schema.Map, Required: true}, {Name: "where", Type: schema.Map},
		}},
	}}
}

var marker = regexp.MustCompile(`(want|warning) "((?:[^"\\]|\\.)*)"`)

// TestBadScenarios holds every file in testdata/bad against the comments in
// it: a diagnostic for each marked line, and none for the others.
func TestBadScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.hcl")
	if err != nil || len(files) == 0 {
		t.Fatal("no test data", err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			_, _, diags := Load(name, testConfig())
			checkMarkers(t, string(src), diags)
		})
	}
}

func checkMarkers(t *testing.T, src string, diags hcl.Diagnostics) {
	t.Helper()
	wanted := map[int]string{}
	severity := map[int]hcl.DiagnosticSeverity{}
	for i, line := range strings.Split(src, "\n") {
		if m := marker.FindStringSubmatch(line); m != nil {
			text, err := strconv.Unquote(`"` + m[2] + `"`)
			if err != nil {
				t.Fatalf("line %d: %v", i+1, err)
			}
			wanted[i+1] = text
			severity[i+1] = map[string]hcl.DiagnosticSeverity{"want": hcl.DiagError, "warning": hcl.DiagWarning}[m[1]]
		}
	}
	found := map[int]bool{}
	for _, d := range diags {
		if d.Subject == nil {
			t.Errorf("without a place: %s: %s", d.Summary, d.Detail)
			continue
		}
		line := d.Subject.Start.Line
		text := d.Summary + ": " + d.Detail
		want, ok := wanted[line]
		switch {
		case !ok:
			t.Errorf("line %d: unexpected: %s", line, text)
		case strings.Contains(strings.ToLower(text), strings.ToLower(want)):
			found[line] = true
			if d.Severity != severity[line] {
				t.Errorf("line %d: severity is %v", line, d.Severity)
			}
		}
	}
	for line, want := range wanted {
		if !found[line] {
			t.Errorf("line %d: nothing says %q", line, want)
			for _, d := range diags {
				if d.Subject != nil && d.Subject.Start.Line == line {
					t.Logf("line %d says: %s: %s", line, d.Summary, d.Detail)
				}
			}
		}
	}
}
