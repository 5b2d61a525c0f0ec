package dsl

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"versus/dsl/schema"
	"versus/stdlib/dataset"
)

// Scenario is a scenario after loading: every name resolved, every argument
// of load time evaluated and checked, the expressions of later times kept.
// Lists are in the order of writing.
type Scenario struct {
	Name        string
	Title       string
	Description string

	Variables     []*Variable
	Hosts         []*Host
	Links         []*Link
	Backends      []*Backend
	Payloads      []*PayloadDef
	Datasets      []*Dataset
	Methodologies []*Methodology
	Tests         []*Test
	Comparisons   []*Comparison
	Tables        []*Table
	Charts        []*Chart
	Expectations  []*Expectation
	Findings      []*ExpectedFinding
	Lint          []*LintBlock

	// Written are the blocks as they stand in the files, in order, imports
	// included: for tools that look at how something is written.
	Written []*Block

	// Sources are all files that were read to load the scenario, by the name
	// under which they were read: enough to load it again elsewhere.
	Sources map[string][]byte
	// Main is the name in Sources, or the folder, that was asked for.
	Main string

	scope   *scope
	headers map[hcl.Range]*Block // Written by their headers
}

// Variable is a declared variable with the value it has in this load.
type Variable struct {
	Name      string
	Value     cty.Value
	Sensitive bool
	Source    string // "default", "environment", "-var", or the file that set it
	Range     hcl.Range
}

// Host is where roles run.
type Host struct {
	Kind, Name, Title string
	CPUs              []int // empty: no binding
	Environment       map[string]string
	Priority          Priority
	Require           Require
	Listen            string   // IP address at which others reach it; empty: not known
	Address           string   // ssh: as the command takes it
	Options           []string // ssh: more arguments
	Command           []string // exec: what gives a pipe to the host
	Program           string   // exec: the versus there; empty: the path of this one
	Range             hcl.Range
}

// Require is what a host must have.
type Require struct {
	Governor string   `json:"governor,omitempty"` // the frequency governor of its CPUs; empty: any
	Cores    int      `json:"cores,omitempty"`    // CPUs that may be used, at least
	Memory   int64    `json:"memory,omitempty"`   // bytes that are free, at least
	Kernel   string   `json:"kernel,omitempty"`   // its version, at least: "6.1"
	Binaries []string `json:"binaries,omitempty"` // programs, by name or full path
}

// Link is a connection between two hosts.
type Link struct {
	Name    string
	Between []string // host names
	Rate    float64  // bit/s each way; 0: not limited
	Delay   float64  // seconds, added each way
	Jitter  float64  // seconds by which Delay varies up and down, at most Delay
	Loss    float64  // probability that a frame is lost, from 0 to 1, each way
	Via     string   // what adds delay, jitter and loss: ViaNetem, ViaRelay; empty: what the machine has
	Range   hcl.Range
}

// What can add delay, jitter and loss to a link.
const (
	ViaNetem = "netem" // the kernel
	ViaRelay = "relay" // a process of versus
)

// Emulated reports whether the link does more than limit the rate.
func (l *Link) Emulated() bool { return l.Delay > 0 || l.Loss > 0 || l.Via != "" }

// Backend is a system under test: a driver with options.
type Backend struct {
	Driver, Name, Title string
	// Options by argument name, defaults applied: string, float64, bool,
	// []any, map[string]any; quantities in base units; a nested block is a
	// map with its label, if it has one, under "kind".
	Options map[string]any
	Range   hcl.Range
}

// PayloadDef is a named payload.
type PayloadDef struct {
	Name  string
	Value cty.Value // as stdlib's bytes() and friends return it
	Range hcl.Range
}

// Dataset is a table of recorded results.
type Dataset struct {
	Format         string
	Environment    string // on what it was recorded, in words; empty if nothing says
	Clock          string // that its times were read from: monotonic, realtime; empty if nothing says
	*dataset.Index        // its name, columns and rows; the value of a dataset argument for drivers
	Range          hcl.Range
}

// Extent is a length in seconds or in calls; the zero value is none.
type Extent struct {
	Seconds float64
	Calls   int64
}

// Methodology says how each cell is measured.
type Methodology struct {
	Name    string
	Warmup  Extent
	Measure Extent
	Runs    int // of each cell; with Until, at most
	Until   *Until
	Keep    Keep
	Order   string // grouped, interleaved, random
	Seed    int64
	Pause   float64 // seconds between runs
	Timeout float64 // seconds a run may take beyond warm-up and measurement
	Drain   float64 // seconds a subscriber may wait for what is still under way
	// NoiseFloor measures the baselines of comparisons twice.
	NoiseFloor bool
	// Gate has the limits beyond which a run does not count, by the name of
	// their argument; fallback = false is a limit of 0 fallbacks. Nil has none.
	Gate  map[string]float64
	Range hcl.Range
}

// Until is a stop rule: a cell is measured until its precision is as wanted.
type Until struct {
	// RelativeInterval is half the width of the interval of the median over the
	// median, from which on a cell needs no further run.
	RelativeInterval float64
	Min, Max         int // valid runs at least, runs at most
}

// Keep is the rule that picks the runs of which means are taken.
type Keep struct {
	// Best is the number of runs kept, an expression over n (the number of
	// valid runs); nil keeps all that are not trimmed.
	Best *Expr
	// Trimmed is the share of the valid runs left out at each end, from 0 to
	// below a half; 0 with Best.
	Trimmed float64
	// By is the metric that says which run is better; empty means
	// time_per_call (rpc, log) or latency.mean (pubsub).
	By string
}

// Test is a workload and its sweeps.
type Test struct {
	Pattern, Name, Title, Group string
	Methodology                 *Methodology // defaults and the test's own blocks merged
	// Args are the arguments known at cell time (payload, rate, ...), those of
	// defaults included.
	Args   map[string]*Expr
	Sweeps []*Sweep
	// Shows is the test whose recorded measurements this one shows again, as a
	// chart beside a table does; empty for most.
	Shows string
	Range hcl.Range
}

// Sweep is a product of axes, filtered.
type Sweep struct {
	Name  string
	Axes  []Axis
	Where *Expr // nil: all combinations
	Range hcl.Range
}

// Axis is one dimension of a sweep.
type Axis struct {
	Name   string
	Values []cty.Value
	// Zip is 0 for an axis of its own; axes of a sweep with the same number
	// move together and have equally many values.
	Zip   int
	Range hcl.Range
}

// Comparison compares pairs of cells.
type Comparison struct {
	Name, Title string
	Baseline    Selector
	Candidate   Selector // empty: every other value
	Value       *Expr    // over baseline.* and candidate.*
	Format      string   // percent, ratio, number
	Unit        string
	Confidence  float64
	Across      []string // differences between the two sides that are meant
	Tests       []string // empty: all
	Range       hcl.Range
}

// Selector picks cells: for each axis the values allowed.
type Selector []SelectorAxis

// SelectorAxis is one entry of a Selector.
type SelectorAxis struct {
	Axis   string
	Values []cty.Value
}

// Table says what to print.
type Table struct {
	Name, Title string
	Tests       []string // empty: all
	Rows        []*Expr
	Columns     []*Expr // pivot: values spread over columns
	Cell        *Expr   // with Columns
	Fields      []Field // `column "TITLE" { value = ... }`
	Where       *Expr
	Range       hcl.Range
}

// Field is one column of a table.
type Field struct {
	Title  string
	Value  *Expr
	Digits int // decimals; -1: chosen by the table
	Range  hcl.Range
}

// Chart says what to draw.
type Chart struct {
	Name, Title string
	Kind        string   // one of chartKinds
	Tests       []string // empty: all
	X, Y, Value *Expr    // nil where the kind has none
	Series      *Expr    // nil: one series
	Where       *Expr
	// Distribution is that of kinds which draw one: latency or service_time.
	Distribution string
	// Comparison is that of speedup and pairs.
	Comparison   string
	XAxis, YAxis ChartAxis
	Range        hcl.Range
}

// ChartAxis says how an axis looks; empty fields are chosen by the report.
type ChartAxis struct {
	Scale string // linear, log2, log10
	Label string
	Marks []Mark
}

// Mark is a limit that a chart shows as a line across it.
type Mark struct {
	Text string
	At   float64
}

// Expectation is a condition on results.
type Expectation struct {
	Text         string
	Tests        []string
	Where        *Expr
	Condition    *Expr
	ErrorMessage *Expr
	Severity     string // error, info
	Range        hcl.Range
}

// ExpectedFinding is an expectation about the audit: that a check reports cells,
// or that it has no error which is not expected.
type ExpectedFinding struct {
	Text     string
	Check    string   // "A04"; "none": no error beyond those expected
	Tests    []string // empty: all
	Where    *Expr    // nil: all cells
	Severity string   // error, info
	Range    hcl.Range
}

// LintBlock holds severities and suppressions for the methodology linter.
type LintBlock struct {
	Rule, Severity, Reason string
	Range                  hcl.Range
}

// Expr is an expression of a later time, already checked: every name in it
// exists, its time allows it, and it has been type-checked with unknown
// values of the right types.
type Expr struct {
	hcl.Expression
	Time schema.Time
	// Axes are the axes that it refers to as each.AXIS; AllAxes says that it
	// uses each as a whole.
	Axes    []string
	AllAxes bool
	// Metrics are the metrics that it refers to, without their side.
	Metrics []Ref
	// Comparisons are the comparisons that it refers to.
	Comparisons []string
	// Source is the text of the expression, as written.
	Source string
	// Attr describes the argument that the expression is the value of.
	Attr *schema.Attr
	// Over is set for geomean(EXPRESSION) over results: the expression inside,
	// which is evaluated at each cell of a table's row before Combine.
	Over *Expr

	bare     []string             // comparisons referred to as a whole, for their value
	known    map[string]cty.Value // values of load time that it refers to, by root
	divisors []hcl.Expression     // what it divides by
}

// IsComparison returns the name if the expression is nothing but comparison.NAME.
func (e *Expr) IsComparison() (name string, ok bool) {
	if len(e.bare) == 1 && len(e.Comparisons) == 1 && len(e.Metrics) == 0 && e.Source == "comparison."+e.bare[0] {
		return e.bare[0], true
	}
	return "", false
}

// Ref is a reference to a metric: Side is "" for the cell at hand, or
// "baseline" or "candidate".
type Ref struct {
	Side, Metric string
	Range        hcl.Range
}
