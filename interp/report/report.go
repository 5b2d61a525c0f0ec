// Package report says what a result says: it evaluates the tables and
// expectations of a scenario over an analysis into a neutral model, and writes
// that as text, Markdown, CSV, JSON or LaTeX, and what a build server shows of it
// as JUnit's XML or GitHub's commands.
//
// The road through the package: Build makes a Report; a table is laid out as a
// grid of cells (grid.go), each place is evaluated (value.go) and printed
// (number.go), reasons become footnotes (footnote.go), best-half means get the
// medians of all runs beside them (allruns.go), and what a reader must know of
// the runs becomes notes (notes.go). A chart block becomes the data of a chart
// (charts.go, and a file a family of kinds); package chart draws it. The writers
// know nothing but the model.
//
// It computes no statistics: package interp/analyze does. The same result
// gives the same bytes.
package report

import (
	"versus/interp/analyze"
	"versus/interp/audit"
	"versus/interp/report/chart"
)

// Report is everything to print.
type Report struct {
	Name, Title, Description string
	// Result is the folder of the result, to say how its charts are drawn; empty
	// if it is not known.
	Result string

	// Summary says in words what came out.
	Summary      []Paragraph
	Tables       []*Table
	Charts       []*chart.Chart
	Expectations []Expectation
	Notes        []Note
	// Findings are those of the audit; Notes has the ones that nobody expects.
	Findings []*audit.Finding

	live []*chart.Chart // those that show runs made for this result

	// Seed and Resamples are those of the bootstrap intervals, if there are any.
	Seed      uint64
	Resamples int
}

// Table is one table, ready to print: columns of labels first, then values.
type Table struct {
	Name, Title string
	Columns     []Column
	Rows        [][]Cell
	Footnotes   []Footnote
	// LatencyKinds are what the latencies in it span, as plan.LatencyKind; none
	// if it shows none.
	LatencyKinds []string
	// AllRuns is set where the table shows means over kept runs, percentiles or
	// comparisons: the same rows with medians of all runs and Hodges-Lehmann
	// ratios, each with its interval.
	AllRuns *Table
}

// Column is the head of a column.
type Column struct {
	Title string
	Label bool // a column that names the row
}

// Kind says what a cell shows.
type Kind string

// The kinds of cells.
const (
	KindLabel     Kind = "label"
	KindNumber    Kind = "number"
	KindText      Kind = "text"
	KindBetter    Kind = "better" // a comparison with its verdict
	KindWorse     Kind = "worse"
	KindBaseline  Kind = "baseline"  // the cell that others in the column are compared with
	KindMissing   Kind = "missing"   // not measured: N/A
	KindUndefined Kind = "undefined" // arithmetic without a result: ?
	KindAmbiguous Kind = "ambiguous" // several cells of the plan fall in this place
	KindEmpty     Kind = "empty"     // nothing to say here
)

// Cell is one place of a table.
type Cell struct {
	Kind Kind
	// Parts are what is printed: one text or, for a comparison, its value, its
	// interval and its verdict, each of which may be empty.
	Parts []string
	// Mark refers to a footnote; empty if there is none.
	Mark string
	// Value is the number behind the text, as the expression gave it.
	Value *float64
	// Detail is set for a comparison that has more than a value.
	Detail *Detail
}

// Detail is what is known of a compared pair beyond its value. Numbers that
// don't exist are nil.
type Detail struct {
	Low, High           *float64 // interval of the value
	P                   *float64 // adjusted over the table (Holm)
	Ratio               *float64 // Hodges-Lehmann: above 1, the candidate is better
	RatioLow, RatioHigh *float64
	Verdict             string
	NoiseFloor          *float64 // of the ratio, from the baseline measured twice: 1.02 is 2 %
	// WithinLow and WithinHigh are the interval of a percentile by the messages
	// of the runs alone, Effective how many independent ones those are worth.
	WithinLow, WithinHigh, Effective *float64
}

// Footnote explains what its mark stands beside; one without a mark is about
// the whole table.
type Footnote struct{ Mark, Text string }

// Status is the outcome of an expectation.
type Status string

// The outcomes of expectations.
const (
	Pass Status = "pass"
	Fail Status = "fail" // makes the command fail
	Info Status = "info" // did not hold, but only informs
)

// Expectation is a condition of the scenario and what became of it.
type Expectation struct {
	Text    string
	Status  Status
	Checked int // cells at which the condition had a value
	// Failures say where and why it did not hold.
	Failures []string
}

// Note is a remark on the runs behind the tables.
type Note struct {
	Warning bool // something is wrong, not only worth knowing
	Text    string
}

// Build evaluates the tables and expectations of the scenario.
func Build(res *analyze.Result) *Report {
	s := res.Scenario
	r := &Report{Name: s.Name, Title: s.Title, Description: s.Description}
	if r.Title == "" {
		r.Title = s.Name
	}
	b := builder{res}
	for _, t := range s.Tables {
		r.Tables = append(r.Tables, b.table(declared(t)))
	}
	if len(s.Tables) == 0 {
		for _, l := range b.defaults() {
			r.Tables = append(r.Tables, b.table(l))
		}
	}
	for _, c := range s.Charts {
		drawn := b.chart(c)
		r.Charts = append(r.Charts, drawn)
		if isLive(b.chosen(c.Tests, c.Where)) {
			r.live = append(r.live, drawn)
		}
	}
	for _, e := range s.Expectations {
		r.Expectations = append(r.Expectations, b.expect(e))
	}
	r.Summary = b.summary()
	findings := audit.Audit(res)
	r.Findings = findings
	for _, e := range audit.Expectations(res, findings) {
		r.Expectations = append(r.Expectations, expected(e))
	}
	r.Notes = append(notes(res), auditNotes(findings)...)
	for _, c := range res.Comparisons {
		for _, p := range c.Pairs {
			if p.Refused == "" && p.NoInterval == "" {
				r.Seed, r.Resamples = analyze.Seed, analyze.Resamples
			}
		}
	}
	return r
}

// builder evaluates parts of a scenario over a result.
type builder struct{ res *analyze.Result }

// Failed says whether an expectation failed that was not only to inform.
func (r *Report) Failed() bool {
	for _, e := range r.Expectations {
		if e.Status == Fail {
			return true
		}
	}
	return false
}
