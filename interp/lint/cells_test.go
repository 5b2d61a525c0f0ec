package lint_test

import (
	"os"
	"strings"
	"testing"

	"versus/dsl"
	"versus/interp/lint"
	"versus/interp/plan"
)

// TestVariants changes clean.hcl in ways for which a folder of its own would be
// too much: want is part of the only message of the rule, or empty for silence.
func TestVariants(t *testing.T) {
	clean, err := os.ReadFile("testdata/clean.hcl")
	if err != nil {
		t.Fatal(err)
	}
	const (
		payload = `payload = ["500B", "8KiB"]`
		rows    = `rows = [each.backend, each.payload]`
		base    = `baseline = { backend = backend.grpc }`
		http    = `version = "1.1"`
		callers = `concurrency = 1`
		place   = `place       = { client = host.callers, server = host.servers }`
	)
	for _, c := range []struct {
		name, rule, want string
		edits            bool
		change           []string // old, new, ...
	}{
		{"an axis that only labels rows", "X04", "only labels rows", false,
			[]string{payload, payload + "\n    trial = [1, 2]", rows, `rows = [each.backend, each.payload, each.trial]`}},
		{"two axes with one product", "X04", "ask for the same", false,
			[]string{payload, "many = [1, 2]\n    large = [1, 2]", "bytes(each.payload)", "bytes(each.many * each.large * 512)", rows, `rows = [each.backend, each.many, each.large]`}},
		{"a value computed twice", "X04", "under another name", false,
			[]string{payload, `payload = concat(["1KiB"], [1024])`}},
		{"an axis of a zip", "X02", "Nothing reads each.color", false,
			[]string{payload, `zip = { payload = ["500B", "8KiB"], color = ["red", "blue"] }`}},
		{"a filter reads it", "X02", "", false,
			[]string{payload, payload + "\n    half = [1, 2]\n    where = each.half == 1"}},
		{"an expectation reads it", "X02", "", false,
			[]string{payload, payload + "\n    half = [1, 2]", "table \"capacity\"", "expect \"fast\" {\n  condition = time_per_call < 1\n  where = each.half == 1\n}\n\ntable \"capacity\""}},
		{"a filter confounds", "X09", "backend and payload always change together", false,
			[]string{payload, payload + "\n    where = (each.backend == backend.http) == (each.payload == \"8KiB\")"}},
		{"axes that move together and are not compared", "X09", "", false,
			[]string{payload, `zip = { payload = ["500B", "8KiB"], callers = [1, 3] }`, callers, "concurrency = each.callers"}},
		{"a named axis explains the payload", "F01", "", false,
			[]string{base, `baseline = { payload = "500B" }`}},
		{"one option of one driver is what is compared", "F01", "", false,
			[]string{`backend "grpc" "grpc_again" {}`, "backend \"grpc\" \"grpc_again\" {\n  compression = \"gzip\"\n}"}},
		{"two options of one driver", "F01", "The setting compression differs", false,
			[]string{http, http + "\n  gomaxprocs = 2", `backend "grpc" "grpc_again" {}`, "backend \"grpc\" \"grpc_again\" {\n  compression = \"gzip\"\n  gomaxprocs = 2\n}",
				base, base + "\n  candidate = { backend = backend.grpc_again }\n  across = [\"gomaxprocs\"]"}},
		{"declared", "F01", "", false,
			[]string{callers, "concurrency = each.backend == backend.http ? 2 : 1", base, base + "\n  across = [\"concurrency\"]"}},
		{"every candidate is filtered out", "X01", "nothing to compare", false,
			[]string{payload, payload + "\n    where = each.backend == backend.grpc"}},
		{"no such pair", "X01", "None of the", false,
			[]string{payload, payload + "\n    where = (each.backend == backend.grpc) == (each.payload == \"500B\")"}},
		{"a text to send is no size", "X08", "", false,
			[]string{"bytes(each.payload)", `each.payload == "500B" ? lines("64KB") : lines("more")`}},
		{"a size in a filter", "X08", `"8KB" is 8000 bytes`, true,
			[]string{payload, `payload = ["500B", "8kB"]` + "\n    where = each.payload != \"8KB\""}},
		{"all roles on one CPU", "E01", "the server that it loads on CPU 0", false,
			[]string{place, ""}},
		{"noise among more cells", "E06", "", false, []string{payload, `payload = range(1, 9)`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := string(clean)
			for i := 0; i < len(c.change); i += 2 {
				if !strings.Contains(src, c.change[i]) {
					t.Fatalf("clean.hcl has no %s", c.change[i])
				}
				src = strings.Replace(src, c.change[i], c.change[i+1], 1)
			}
			s, diags := dsl.LoadSources("s.hcl", map[string][]byte{"s.hcl": []byte(src)}, config())
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			p, diags := plan.New(s, registry, plan.Options{})
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			said := ""
			for _, f := range lint.Run(s, p, registry, lint.Rules()) {
				if f.Rule.ID == c.rule && !f.NotChecked {
					said += f.Message + "\n"
					if (len(f.Edits) > 0) != c.edits {
						t.Errorf("%d edits: %s", len(f.Edits), f.Message)
					}
				}
			}
			if (said == "") != (c.want == "") || !strings.Contains(said, c.want) {
				t.Errorf("%q, want %q", said, c.want)
			}
		})
	}
}
