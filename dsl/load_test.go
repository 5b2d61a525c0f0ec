package dsl

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// scenario loads text that must be sound.
func scenario(t *testing.T, text string) *Scenario {
	t.Helper()
	s, diags := LoadSources("x.hcl", map[string][]byte{"x.hcl": []byte(text)}, testConfig())
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return s
}

const small = `
scenario "small" { title = "Small" }
backend "fast" "a" {}
backend "fast" "b" { title = "B" }
methodology "m" {
  warmup { calls = 1 }
  measure { calls = 100 }
  repeat { runs = 4 }
  keep { best = n / 2 }
}
test "rpc" "t" {
  methodology = methodology.m
  payload     = bytes(each.size)
  measure { duration = "2s" }
  sweep "s" {
    size    = [1024, 512, 2048]
    backend = [backend.b, backend.a]
    zip     = { x = [1, 2], y = ["p", "q"] }
    where   = each.size != 512 || each.backend == backend.a
  }
}
`

func TestLoad(t *testing.T) {
	s := scenario(t, small)
	if s.Name != "small" || s.Title != "Small" || len(s.Backends) != 2 || s.Backends[0].Title != "a" || s.Backends[1].Title != "B" {
		t.Errorf("scenario: %+v", s)
	}
	if got := s.Backends[0].Options; got["version"] != "1.1" || got["threads"] != 1.0 {
		t.Errorf("defaults of options: %v", got)
	}
	test := s.Tests[0]
	if got := test.axes(); !slices.Equal(got, []string{"size", "backend", "x", "y"}) {
		t.Errorf("axes are not in the order of writing: %v", got)
	}
	if a := test.Sweeps[0].Axes; a[2].Zip != 1 || a[3].Zip != 1 || a[0].Zip != 0 || Label(a[0].Values[0]) != "1024" || Label(a[1].Values[0]) != "B" {
		t.Errorf("axes: %+v", a)
	}
	m := test.Methodology
	if m.Measure != (Extent{Seconds: 2}) || m.Warmup != (Extent{Calls: 1}) || m.Runs != 4 || m.Order != "interleaved" || m.Timeout != 30 {
		t.Errorf("methodology: %+v", m)
	}
	e := test.Args["payload"]
	if !slices.Equal(e.Axes, []string{"size"}) || e.Source != "bytes(each.size)" {
		t.Errorf("payload: %+v", e)
	}
	v, diags := s.EvalCell(e, map[string]cty.Value{"size": cty.NumberIntVal(512)})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	if p, err := Convert(e.Attr, v); err != nil || p.(map[string]any)["bytes"] != 512.0 {
		t.Errorf("payload of a cell: %v, %v", p, err)
	}
}

func TestEvalKeep(t *testing.T) {
	s := scenario(t, small)
	k := s.Tests[0].Methodology.Keep
	for n, want := range map[int]int{1: 1, 2: 1, 3: 1, 4: 2, 7: 3, 10: 5} {
		if got, err := s.EvalKeep(k, n); err != nil || got != want {
			t.Errorf("best half of %d: %d, %v; want %d", n, got, err, want)
		}
	}
	if got, err := s.EvalKeep(Keep{}, 5); err != nil || got != 5 {
		t.Errorf("no rule keeps all: %d, %v", got, err)
	}
	s = scenario(t, strings.Replace(small, "n / 2", "n + 1", 1))
	if _, err := s.EvalKeep(s.Tests[0].Methodology.Keep, 3); err == nil {
		t.Error("keeping 4 of 3 runs is no error")
	}
}

// fakeResults answers with fixed numbers.
type fakeResults map[string]float64

func (f fakeResults) Metric(side, name string) (float64, string) {
	v, ok := f[strings.Trim(side+"."+name, ".")]
	if !ok {
		return 0, name + " was not measured"
	}
	return v, ""
}

func (f fakeResults) Comparison(name, field string) (float64, string, string) {
	if field == "verdict" {
		return 0, "faster", ""
	}
	v, ok := f["comparison."+name+"."+field]
	if !ok {
		return 0, "", "no interval"
	}
	return v, "", ""
}

const formulas = small + `
comparison "c" {
  baseline = { backend = backend.a }
  value    = %FORMULA%
}
table "t" {
  rows = [each.backend]
  column "x" { value = %COLUMN% }
}
`

func table(t *testing.T, column string) (*Scenario, *Expr) {
	t.Helper()
	s := scenario(t, strings.NewReplacer("%COLUMN%", column, "%FORMULA%", "baseline.latency.mean / candidate.latency.mean").Replace(formulas))
	return s, s.Tables[0].Fields[0].Value
}

func TestEvalResult(t *testing.T) {
	results := fakeResults{"latency.mean": 2, "latency.p99_9": 5, "latency.max": 0, "comparison.c.value": 1.5, "comparison.c.low": 1.2}
	for column, want := range map[string]Outcome{
		"latency.mean * 10":                          {Kind: IsNumber, Number: 20},
		"quantile(latency, 0.999)":                   {Kind: IsNumber, Number: 5},
		"latency.p99_9":                              {Kind: IsNumber, Number: 5},
		"latency.mean / latency.max":                 {Kind: IsUndefined},
		"latency.max / latency.max":                  {Kind: IsUndefined},
		"1 / latency.max > 5":                        {Kind: IsUndefined},
		"latency.p50":                                {Kind: IsMissing},
		"try(latency.p50, 1)":                        {Kind: IsMissing},
		"latency.mean > 1":                           {Kind: IsBool, Bool: true},
		"\"${fixed(latency.mean, 1)} s\"":            {Kind: IsText, Text: "2.0 s"},
		"comparison.c":                               {Kind: IsNumber, Number: 1.5},
		"comparison.c.low":                           {Kind: IsNumber, Number: 1.2},
		"comparison.c - comparison.c.low > 0":        {Kind: IsBool, Bool: true},
		"comparison.c.high":                          {Kind: IsMissing},
		"comparison.c.verdict":                       {Kind: IsText, Text: "faster"},
		"each.backend":                               {Kind: IsText, Text: "a"},
		"geomean(comparison.c)":                      {Kind: IsNumber, Number: 1.5},
		"geomean([latency.mean, 8])":                 {Kind: IsNumber, Number: 4},
		"each.size == 512 ? latency.mean : null":     {Kind: IsMissing},
		"latency.mean * pow(10, 300) * pow(10, 300)": {Kind: IsUndefined},
	} {
		s, e := table(t, column)
		each := map[string]cty.Value{"backend": reference("backend", "driver", "fast", "name", "a", "title", "a"), "size": cty.NumberIntVal(1024)}
		got := s.EvalResult(e, each, results)
		if got.Kind != want.Kind || got.Bool != want.Bool || math.Abs(got.Number-want.Number) > 1e-12 || want.Text != "" && got.Text != want.Text {
			t.Errorf("%s: got %+v, want %+v", column, got, want)
		}
		if (got.Kind == IsMissing || got.Kind == IsUndefined) && got.Why == "" {
			t.Errorf("%s: no reason", column)
		}
	}
}

func TestIsComparison(t *testing.T) {
	for column, want := range map[string]string{"comparison.c": "c", "comparison.c * 2": "", "latency.mean": "", "comparison.c.low": ""} {
		_, e := table(t, column)
		if got, _ := e.IsComparison(); got != want {
			t.Errorf("%s: %q", column, got)
		}
	}
}

// TestCompile holds compiled formulas against HCL on random numbers.
func TestCompile(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, formula := range []string{
		"(baseline.latency.mean - candidate.latency.mean) / candidate.latency.mean",
		"baseline.throughput.rate / candidate.throughput.rate - 1",
		"-baseline.latency.mean * 2 + (candidate.latency.mean - 3) * 0.1",
		"baseline.latency.mean < candidate.latency.mean ? 1 : candidate.latency.mean / 7",
		"max(baseline.latency.mean, candidate.latency.mean, 2) / min(baseline.latency.mean, candidate.latency.mean)",
		"abs(baseline.latency.mean - candidate.latency.mean) + pow(candidate.latency.mean, 2)",
		"log(baseline.latency.mean, 10) - log(candidate.latency.mean, 10)",
		"sqrt(baseline.latency.mean * candidate.latency.mean)",
		"(baseline.latency.mean > 5 && !(candidate.latency.mean > 5)) || baseline.latency.mean == candidate.latency.mean ? 1 : 0",
	} {
		s := scenario(t, strings.NewReplacer("%COLUMN%", "latency.mean", "%FORMULA%", formula).Replace(formulas))
		e := s.Comparisons[0].Value
		f, ok := s.Compile(e)
		if !ok {
			t.Errorf("%s does not compile", formula)
			continue
		}
		for range 200 {
			results, args := fakeResults{}, make([]float64, len(f.Refs))
			for i, r := range f.Refs {
				args[i] = rng.Float64() * 10
				results[r.Side+"."+r.Metric] = args[i]
			}
			want := s.EvalResult(e, nil, results)
			got := f.Eval(args)
			if want.Kind != IsNumber || math.Abs(got-want.Number) > 1e-9*math.Max(1, math.Abs(got)) {
				t.Fatalf("%s at %v: compiled %v, HCL %+v", formula, args, got, want)
			}
		}
	}
}

func TestCompileRefuses(t *testing.T) {
	for _, formula := range []string{
		"tonumber(format(\"%.1f\", baseline.latency.mean / candidate.latency.mean))",
		"baseline.latency.mean / candidate.latency.mean * each.size",
	} {
		s := scenario(t, strings.NewReplacer("%COLUMN%", "latency.mean", "%FORMULA%", formula).Replace(formulas))
		if _, ok := s.Compile(s.Comparisons[0].Value); ok {
			t.Errorf("%s compiles, though it is more than arithmetic", formula)
		}
	}
	s := scenario(t, strings.NewReplacer("%COLUMN%", "latency.mean", "%FORMULA%", "baseline.latency.mean / (candidate.latency.mean - candidate.latency.mean)").Replace(formulas))
	f, _ := s.Compile(s.Comparisons[0].Value)
	if v := f.Eval([]float64{1, 1}); !math.IsNaN(v) {
		t.Errorf("x/0 is %v when compiled", v)
	}
}

const variables = `
scenario "v" {}
variable "n" {
  type    = number
  default = 1
  validation {
    condition     = var.n < 100
    error_message = "n is below 100, not ${var.n}."
  }
}
variable "list" { default = [1] }
variable "secret" {
  type      = string
  default   = ""
  sensitive = true
}
host "local" "here" {
  environment = { TOKEN = var.secret }
}
backend "fast" "a" {}
test "rpc" "t" {
  backend = backend.a
  measure { calls = var.n }
  sweep { size = var.list }
}
`

func TestVariables(t *testing.T) {
	auto := []byte("n = 3\n")
	for name, c := range map[string]struct {
		env   []string
		auto  bool
		set   []Setting
		calls int64
	}{
		"default":         {calls: 1},
		"environment":     {env: []string{"VERSUS_VAR_n=2", "VERSUS_VAR_other=x"}, calls: 2},
		"automatic file":  {env: []string{"VERSUS_VAR_n=2"}, auto: true, calls: 3},
		"command line":    {auto: true, set: []Setting{{Name: "n", Value: "4"}}, calls: 4},
		"its order":       {set: []Setting{{Name: "n", Value: "4"}, {File: "f.vars.hcl", Content: []byte("n = 5")}}, calls: 5},
		"its order again": {set: []Setting{{File: "f.vars.hcl", Content: []byte("n = 5")}, {Name: "n", Value: "4"}}, calls: 4},
	} {
		cfg := testConfig()
		cfg.Env, cfg.Set = c.env, c.set
		sources := map[string][]byte{"x.hcl": []byte(variables)}
		if c.auto {
			sources[autoVars] = auto
		}
		s, diags := LoadSources("x.hcl", sources, cfg)
		if diags.HasErrors() {
			t.Errorf("%s: %v", name, diags)
			continue
		}
		if got := s.Tests[0].Methodology.Measure.Calls; got != c.calls {
			t.Errorf("%s: n is %d, want %d", name, got, c.calls)
		}
		if _, leaked := s.Sources[autoVars]; leaked {
			t.Errorf("%s: the file of values, which may hold secrets, goes into the journal", name)
		}
	}
}

func TestVariableMistakes(t *testing.T) {
	for _, c := range []struct {
		set  Setting
		want string
	}{
		{Setting{Name: "n", Value: "100"}, "n is below 100, not 100."},
		{Setting{Name: "n", Value: "many"}, "a number is required"},
		{Setting{Name: "list", Value: "[1,"}, "From -var list"},
		{Setting{Name: "lists", Value: "1"}, `Did you mean "list"?`},
		{Setting{Name: "n ", Value: "1"}, "has blanks"},
	} {
		cfg := testConfig()
		cfg.Set = []Setting{c.set}
		_, diags := LoadSources("x.hcl", map[string][]byte{"x.hcl": []byte(variables)}, cfg)
		if c.want == "From -var list" {
			if !diags.HasErrors() {
				t.Errorf("%v: no error", c.set)
			}
			continue
		}
		if !diags.HasErrors() || !strings.Contains(diags.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.set, diags, c.want)
		}
	}
}

func TestSensitive(t *testing.T) {
	cfg := testConfig()
	cfg.Set = []Setting{{Name: "secret", Value: "hush"}}
	s, diags := LoadSources("x.hcl", map[string][]byte{"x.hcl": []byte(variables)}, cfg)
	if diags.HasErrors() || s.Hosts[0].Environment["TOKEN"] != "hush" {
		t.Fatal("a sensitive value may stand in the environment of a host", diags)
	}
	bad := strings.Replace(variables, `backend "fast" "a" {}`, `backend "fast" "a" { version = var.secret }`, 1)
	if _, diags := LoadSources("x.hcl", map[string][]byte{"x.hcl": []byte(bad)}, cfg); !diags.HasErrors() || strings.Contains(diags.Error(), "hush") {
		t.Errorf("a sensitive option: %v", diags)
	}
	cfg.Set = []Setting{{Name: "secret", Hidden: true}, {Name: "n", Value: "7", HCL: true}}
	if s, diags := LoadSources("x.hcl", map[string][]byte{"x.hcl": []byte(variables)}, cfg); diags.HasErrors() || s.Tests[0].Methodology.Measure.Calls != 7 {
		t.Errorf("a journal is read without the sensitive value: %v", diags)
	}
}

// Messages and functions quote values; of sensitive ones they must not.
func TestSensitiveMessages(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"validation": {"  sensitive = true\n", "  sensitive = true\n  validation {\n    condition     = length(var.secret) < 2\n    error_message = \"Not ${var.secret}.\"\n  }\n", "condition is not met"},
		"condition":  {"  sensitive = true\n", "  sensitive = true\n  validation {\n    condition     = tonumber(var.secret) < 2\n    error_message = \"No.\"\n  }\n", "reason is not shown"},
		"function":   {"TOKEN = var.secret", "TOKEN = tonumber(var.secret)", "reason is not shown"},
		"local":      {"TOKEN = var.secret }\n}", "TOKEN = tonumber(local.s) }\n}\nlocals { s = \"a ${var.secret}\" }", "reason is not shown"},
		"conversion": {"type      = string\n  default   = \"\"", "type      = number\n  default   = null", "a number is required"},
	} {
		cfg := testConfig()
		cfg.Set = []Setting{{Name: "secret", Value: "hush"}}
		src := strings.Replace(variables, c.old, c.new, 1)
		if _, diags := LoadSources("x.hcl", map[string][]byte{"x.hcl": []byte(src)}, cfg); !diags.HasErrors() || strings.Contains(diags.Error(), "hush") || !strings.Contains(diags.Error(), c.want) {
			t.Errorf("%s: %v", name, diags)
		}
	}
	cfg := testConfig()
	cfg.Set = []Setting{{Name: "secret", Value: "hush"}}
	s, _ := LoadSources("x.hcl", map[string][]byte{"x.hcl": []byte(variables)}, cfg)
	if _, diags := Evaluate(s, "tonumber(var.secret)"); !diags.HasErrors() || strings.Contains(diags.Error(), "hush") {
		t.Errorf("in the console: %v", diags)
	}
	src := strings.Replace(variables, `default   = ""`, `default   = "hush"`, 1)
	if _, diags := LoadSources("x.hcl", map[string][]byte{"x.hcl": []byte(src)}, testConfig()); len(diags) != 1 || diags.HasErrors() || diags[0].Summary != "Secret in a file" {
		t.Errorf("a default is in the journal: %v", diags)
	}
}

func TestFolderAndImports(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("s/a.hcl", `scenario "folder" {}
import "../lab/lab.hcl" {}
test "rpc" "t" {
  backend = backend.a
  payload = lines(file("data/text.txt"))
  measure { calls = 1 }
}`)
	write("s/b.hcl.json", `{"methodology": {"m": {"measure": {"calls": 5}, "keep": {"best": "${n / 2}"}}}}`)
	write("s/data/text.txt", "hello\nworld\n")
	write("s/x.vars.hcl", "unknown = 1")
	write("s/.hidden.hcl", "no scenario")
	write("s/c.hcl~", "no scenario")
	write("lab/more.hcl", "import \"./lab.hcl\" {}\n")
	write("lab/lab.hcl", "import \"./more.hcl\" {}\nbackend \"fast\" \"a\" {}\n")
	s, _, diags := Load(filepath.Join(dir, "s"), testConfig())
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	var names []string
	for name := range s.Sources {
		names = append(names, name)
	}
	slices.Sort(names)
	if want := []string{"../lab/lab.hcl", "../lab/more.hcl", "a.hcl", "b.hcl.json", "data/text.txt"}; !slices.Equal(names, want) {
		t.Errorf("read %v, want %v", names, want)
	}
	again, diags := LoadSources(s.Main, s.Sources, testConfig())
	if diags.HasErrors() || len(again.Tests) != 1 || len(again.Methodologies) != 1 {
		t.Errorf("loading from the sources: %v", diags)
	}
	for _, path := range []string{"/etc/passwd", "../lab/lab.hcl.txt", "nothing.txt", "data"} {
		write("s/a.hcl", `scenario "folder" {}
backend "fast" "a" {}
test "rpc" "t" {
  backend = backend.a
  payload = lines(file("`+path+`"))
  measure { calls = 1 }
}`)
		os.Remove(filepath.Join(dir, "s/b.hcl.json"))
		if _, _, diags := Load(filepath.Join(dir, "s"), testConfig()); !diags.HasErrors() {
			t.Errorf("file(%q) is allowed", path)
		}
	}
}

func TestJSON(t *testing.T) {
	src := `{
  "scenario": {"json": {"title": "In JSON"}},
  "backend": {"fast": {"a": {"threads": 2}, "b": {}}},
  "methodology": {"m": {"measure": {"duration": "1s"}, "repeat": {"runs": 3}, "keep": {"best": "${n / 2}"}}},
  "test": {"rpc": {"t": {"methodology": "${methodology.m}", "payload": "${bytes(each.size)}",
    "sweep": {"backend": ["${backend.a}", "${backend.b}"], "size": [512, 1024]}}}},
  "comparison": {"c": {"baseline": {"backend": "${backend.a}"}, "value": "${baseline.latency.mean / candidate.latency.mean}"}},
  "table": {"t": {"rows": ["${each.backend}", "${each.size}"], "column": {"c": {"value": "${comparison.c}"}}}}
}`
	s, diags := LoadSources("x.hcl.json", map[string][]byte{"x.hcl.json": []byte(src)}, testConfig())
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	if got := s.Tests[0].axes(); !slices.Equal(got, []string{"backend", "size"}) {
		t.Errorf("axes: %v", got)
	}
	got := s.EvalResult(s.Comparisons[0].Value, nil, fakeResults{"baseline.latency.mean": 6, "candidate.latency.mean": 2})
	if got.Kind != IsNumber || got.Number != 3 {
		t.Errorf("formula: %+v", got)
	}
	bad := strings.Replace(src, `"threads"`, `"thread"`, 1)
	if _, diags := LoadSources("x.hcl.json", map[string][]byte{"x.hcl.json": []byte(bad)}, testConfig()); !diags.HasErrors() || !strings.Contains(diags.Error(), `Did you mean "threads"?`) {
		t.Errorf("unknown argument in JSON: %v", diags)
	}
}

// TestDefaults makes sure that the defaults and examples in the schema decode.
func TestDefaults(t *testing.T) {
	for _, b := range Language(testConfig().Drivers).Blocks {
		if b.Example == "" {
			t.Errorf("%s has no example", b.Type)
		}
		for _, a := range b.Attrs {
			defaultOf(&a)
		}
		if _, diags := Parse("x.hcl", []byte(b.Example)); diags.HasErrors() {
			t.Errorf("example of %s: %v", b.Type, diags)
		}
	}
}

func TestEvaluate(t *testing.T) {
	v, diags := Evaluate(nil, "max(1, 2) + 1")
	if diags.HasErrors() || v.AsBigFloat().String() != "3" {
		t.Errorf("%#v, %v", v, diags)
	}
	if v, diags := Evaluate(scenario(t, small), "backend.b.title"); diags.HasErrors() || v.AsString() != "B" {
		t.Errorf("%#v, %v", v, diags)
	}
	for _, text := range []string{"backend.nothing", "1 +", "latency.mean", "file(\"x\")", strings.Repeat("(", 100000)} {
		if _, diags := Evaluate(nil, text); !diags.HasErrors() {
			t.Errorf("%.20s: no error", text)
		}
	}
}

// FuzzLoad looks for text that makes a load panic or hang.
func FuzzLoad(f *testing.F) {
	files, _ := filepath.Glob("testdata/bad/*.hcl")
	for _, name := range files {
		if src, err := os.ReadFile(name); err == nil {
			f.Add(string(src))
		}
	}
	f.Add(small)
	f.Add(variables)
	f.Fuzz(func(t *testing.T, src string) {
		var diags hcl.Diagnostics
		var s *Scenario
		s, diags = LoadSources("x.hcl", map[string][]byte{"x.hcl": []byte(src)}, testConfig())
		if s == nil && !diags.HasErrors() {
			t.Error("no scenario, and no reason")
		}
	})
}

// TestWhatIsNoScenario says what is wrong with a file or folder as a whole, and
// waits for nothing: to open a pipe waits for its writer.
func TestWhatIsNoScenario(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"empty.hcl": "", "both/a.hcl": `scenario "a" {}`, "both/b.hcl": "scenario \"b\" {}\nbackend \"fast\" \"x\" {}"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"pipe.hcl", "pipe"} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"empty.hcl": "empty.hcl:1,1-1: Missing block; A scenario needs a block scenario",
		"both":      "here a.hcl and b.hcl have a scenario block each",
		"pipe.hcl":  "pipe.hcl: not a regular file",
		"pipe":      "pipe: not a regular file",
	} {
		_, _, diags := Load(filepath.Join(dir, name), testConfig())
		if len(diags) != 1 || !strings.Contains(diags.Error(), want) {
			t.Errorf("%s: %v", name, diags)
		}
	}
}
