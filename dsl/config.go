package dsl

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"versus/dsl/schema"
)

// Config is what a load needs beside the files.
type Config struct {
	// Drivers describe the options of `backend "DRIVER" "NAME"`.
	Drivers []schema.Kind
	// Patterns lists, by driver, the patterns of tests that it can carry.
	Patterns map[string][]string
	// Set are the values of variables from the command line, in its order.
	Set []Setting
	// Env is the environment, as os.Environ gives it; VERSUS_VAR_name sets a variable.
	Env []string
}

// Setting is one -var name=value or -var-file FILE.
type Setting struct {
	Name, Value string
	File        string // if not empty, a file of values
}

// Load reads the scenario in a file or a folder, with its imports, and
// everything that its functions and datasets read. On errors the scenario is
// nil and the diagnostics hold every mistake found, not only the first.
func Load(path string, cfg Config) (*Scenario, hcl.Diagnostics) {
	panic("not built yet")
}

// LoadSources is Load for files that were read before, as Scenario.Sources
// holds them. It touches no file system.
func LoadSources(main string, sources map[string][]byte, cfg Config) (*Scenario, hcl.Diagnostics) {
	panic("not built yet")
}

// EvalCell evaluates an expression of load or cell time. each holds the values
// of each.AXIS and of each.backend, each.host and each.test.
func (s *Scenario) EvalCell(e *Expr, each map[string]cty.Value) (cty.Value, hcl.Diagnostics) {
	panic("not built yet")
}

// Results are what a result-time expression can ask for.
type Results interface {
	// Metric returns a metric of one side ("" for the cell at hand,
	// "baseline", "candidate"), by its full name such as "latency.p99_9".
	// Without a value it returns why.
	Metric(side, name string) (value float64, why string)
	// Comparison returns a field of a comparison at this cell: "value", "low",
	// "high", "p" as a number or "verdict" as a text. Without a value it
	// returns why.
	Comparison(name, field string) (number float64, text string, why string)
}

// OutcomeKind says what an Outcome holds.
type OutcomeKind int

// The kinds of outcome.
const (
	IsNumber OutcomeKind = iota
	IsText
	IsBool
	IsMissing   // a value that was not measured: printed N/A
	IsUndefined // arithmetic without a result, x/0: printed ?
)

// Outcome is the value of a result-time expression, after the one boundary
// where numbers leave cty: Number is always finite.
type Outcome struct {
	Kind   OutcomeKind
	Number float64
	Text   string
	Bool   bool
	Why    string // for IsMissing and IsUndefined: a footnote
}

// EvalResult evaluates an expression of result time at one cell. results
// answers for the metrics and comparisons in e.Metrics and e.Comparisons.
func (s *Scenario) EvalResult(e *Expr, each map[string]cty.Value, results Results) Outcome {
	panic("not built yet")
}

// EvalKeep evaluates the number of runs to keep of n valid ones; the result is
// from 1 to n.
func (s *Scenario) EvalKeep(k Keep, n int) (int, error) {
	panic("not built yet")
}

// Formula is a result-time expression compiled to arithmetic on numbers, for
// resampling: millions of evaluations, nothing allocated.
type Formula struct {
	// Refs are the metrics in the order of the arguments of Eval.
	Refs []Ref
	// Eval returns the value for these metrics; NaN where it is undefined.
	Eval func(metrics []float64) float64
}

// Compile compiles a formula over metrics; ok is false if it uses more than
// arithmetic, comparisons, conditionals and the functions min, max, abs, log,
// sqrt, pow and parentheses, over metrics, numbers and values of load time.
func (s *Scenario) Compile(e *Expr) (f Formula, ok bool) {
	panic("not built yet")
}

type scope struct{}

// Label returns the text under which a value of an axis is printed: the title
// or name of a backend, host or test, a number, or the text itself.
func Label(v cty.Value) string { panic("not built yet") }
