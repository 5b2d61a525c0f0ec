// Package audit looks at the numbers of a result for what can't be true, or
// can't mean what it seems to: its own results and others' recorded tables
// alike. Each check is one file with what it finds, the formula, its source and
// its tolerances; a finding prints its arithmetic, so that a reader can do it
// again by hand.
//
// It measures nothing, changes no number and knows nothing of how a scenario
// is written: package lint looks at that before anything runs.
package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"versus/interp/analyze"
)

// Severity says how bad a finding is.
type Severity string

// The severities. Only errors make `versus audit` exit with status 1.
const (
	Error   Severity = "error"   // a number can't be true, or the claim made with it
	Warning Severity = "warning" // a number can't mean what it seems to
	Info    Severity = "info"
)

// Check is one check.
type Check struct {
	ID, Title string // "A01", "Little's law"
	// What says what the check finds and why that matters; Formula is what it
	// computes, Tolerance when it reports and how severely, and Source who
	// showed it (author, year, or the published table).
	What, Formula, Tolerance, Source string
	// Needs says which numbers a test must have, for where it could not be checked.
	Needs string

	run func(*pass)
}

// Finding is one report of a check.
type Finding struct {
	Check    *Check
	Severity Severity
	Message  string
	// Cells are the cells that it is about, in the order of the plan.
	Cells []*analyze.Cell
	// NotChecked says that the check could not decide, and Message why.
	NotChecked bool
	// Expected is the text of the expectation of the scenario that knows of it.
	Expected string
}

// Checks are all checks, by their IDs.
func Checks() []*Check {
	return []*Check{
		a01, a02, a03, a04, a05, a06, a07, a08, a09, a10, a11, a12, a13,
		a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24, a25,
	}
}

// Lookup returns the check with an ID, or nil.
func Lookup(id string) *Check {
	for _, c := range Checks() {
		if strings.EqualFold(c.ID, id) {
			return c
		}
	}
	return nil
}

// Audit runs every check on a result. Findings are in the order of the checks,
// those of a check by severity and then by their cells; they are marked as
// expected where the scenario says so. What was not checked comes last.
func Audit(res *analyze.Result) []*Finding {
	p := newPass(res)
	for _, c := range Checks() {
		p.check = c
		p.looked = map[string]bool{}
		c.run(p)
		p.unchecked()
	}
	rank := map[Severity]int{Error: 0, Warning: 1, Info: 2}
	slices.SortStableFunc(p.findings, func(a, b *Finding) int {
		if a.NotChecked != b.NotChecked {
			return cmp.Compare(b2i(a.NotChecked), b2i(b.NotChecked))
		}
		return cmp.Or(cmp.Compare(a.Check.ID, b.Check.ID), cmp.Compare(rank[a.Severity], rank[b.Severity]), cmp.Compare(a.first(), b.first()))
	})
	mark(res, p.findings)
	return p.findings
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// first is the place of the finding in the order of the plan.
func (f *Finding) first() int {
	if len(f.Cells) == 0 {
		return -1
	}
	return f.Cells[0].Plan.Index
}

// Where names the cells of a finding, at most four of them.
func (f *Finding) Where() string {
	const most = 4
	var names []string
	for i, c := range f.Cells {
		if i == most {
			names = append(names, fmt.Sprintf("and %d more cells", len(f.Cells)-most))
			break
		}
		names = append(names, c.Name())
	}
	return strings.Join(names, ", ")
}

// pass is what checks look at, and where they report.
type pass struct {
	res   *analyze.Result
	rows  []*row   // cells with runs
	tests []string // of those, in the order of the scenario

	check    *Check
	looked   map[string]bool // tests in which the check had its numbers
	findings []*Finding
}

func newPass(res *analyze.Result) *pass {
	p := &pass{res: res}
	for _, c := range res.Cells {
		if len(c.Valid) == 0 {
			continue
		}
		r := newRow(c)
		p.rows = append(p.rows, r)
		if !slices.Contains(p.tests, r.test) {
			p.tests = append(p.tests, r.test)
		}
	}
	return p
}

// report adds a finding about rows.
func (p *pass) report(s Severity, rows []*row, format string, args ...any) {
	f := &Finding{Check: p.check, Severity: s, Message: fmt.Sprintf(format, args...)}
	for _, r := range rows {
		f.Cells = append(f.Cells, r.cell)
	}
	slices.SortStableFunc(f.Cells, func(a, b *analyze.Cell) int { return cmp.Compare(a.Plan.Index, b.Plan.Index) })
	p.findings = append(p.findings, f)
}

// saw notes that the check had its numbers in rows, whatever they said.
func (p *pass) saw(rows ...*row) {
	for _, r := range rows {
		p.looked[r.test] = true
	}
}

// unchecked says in which tests the check did not have its numbers, so that
// silence is not read as "passed".
func (p *pass) unchecked() {
	var tests []string
	for _, t := range p.tests {
		if !p.looked[t] {
			tests = append(tests, t)
		}
	}
	switch {
	case len(tests) == 0:
		return
	case len(tests) == len(p.tests):
		p.notChecked("%s.", p.check.Needs)
	default:
		p.notChecked("%s (%s).", p.check.Needs, strings.Join(tests, ", "))
	}
}

func (p *pass) notChecked(format string, args ...any) {
	p.findings = append(p.findings, &Finding{Check: p.check, Severity: Info, NotChecked: true, Message: "not checked: " + fmt.Sprintf(format, args...)})
}
