package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"strings"

	"versus/drivers"
	"versus/drivers/all"
	"versus/interp/analyze"
	"versus/interp/audit"
	"versus/interp/journal"
	"versus/interp/plan"
	"versus/interp/report"
)

func auditCommand(a *app, fs *flag.FlagSet, args []string) int {
	var vars variables
	vars.register(fs)
	verbose := fs.Bool("v", false, "also say what was not checked, and why")
	explain := fs.String("explain", "", "print the page of a check, such as `A01`, and end")
	paths, code, done := a.parse(fs, args, 0, 1)
	switch {
	case done:
		return code
	case *explain != "":
		return a.explainCheck(*explain)
	case len(paths) == 0:
		return a.fail("usage: versus audit [flags] RESULT|SCENARIO")
	}
	var res *analyze.Result
	if isResult(paths[0]) {
		if len(vars.set) > 0 {
			return a.fail("a result holds the values that its variables had; -var is for scenarios")
		}
		res, code = a.measured(paths[0])
	} else {
		res, code = a.replayed(paths[0], vars)
	}
	if res == nil {
		return code
	}
	findings := audit.Audit(res)
	var err error
	if a.format == "json" {
		err = auditJSON(a.out, res, findings)
	} else {
		err = auditText(a.out, findings, *verbose)
	}
	if err != nil {
		return a.fail("%v", err)
	}
	if len(audit.Unexpected(findings)) > 0 {
		return exitExpectation
	}
	return exitOK
}

// measured analyzes a result.
func (a *app) measured(dir string) (*analyze.Result, int) {
	content, err := journal.Read(dir)
	if err != nil {
		return nil, a.fail("%v", err)
	}
	return a.analyze(dir, content)
}

// replayed analyzes a scenario of recorded results, without writing anything.
func (a *app) replayed(path string, vars variables) (*analyze.Result, int) {
	l := load(path, vars.set, plan.Options{})
	a.show(l.shown())
	if l.plan == nil {
		return nil, exitScenario
	}
	for _, t := range l.scenario.Tests {
		if t.Pattern != string(drivers.Replay) {
			return nil, a.fail("test %q of %s must be measured first; audit its result: versus run %s, then versus audit FOLDER", t.Name, path, path)
		}
	}
	runs, err := recordedRuns(l.plan)
	if err != nil {
		return nil, a.fail("%v", err)
	}
	res, err := analyze.Analyze(l.scenario, l.plan, runs)
	if err != nil {
		return nil, a.fail("%v", err)
	}
	return res, exitOK
}

// recordedRuns are the runs of a plan that has recorded results only.
func recordedRuns(p *plan.Plan) ([]journal.Run, error) {
	if p.Cells() > analyze.MaxCells {
		return nil, fmt.Errorf("the plan has %d cells; at most %d can be audited", p.Cells(), analyze.MaxCells)
	}
	reg := all.Registry()
	var runs []journal.Run
	for i := range p.Cells() {
		c, err := p.Cell(i)
		if err != nil {
			return nil, err
		}
		d, _ := reg.Find(c.Backend.Driver)
		for n := range p.RunsOf(i) {
			values, err := d.Recorded(c.Workload, n)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.Key, err)
			}
			runs = append(runs, journal.Run{Cell: c.Key, Run: n, Order: len(runs), Status: journal.OK, Values: values})
		}
	}
	return runs, nil
}

// auditText writes findings for people: one line that says what and where, one
// with the arithmetic.
func auditText(w io.Writer, findings []*audit.Finding, verbose bool) error {
	var b strings.Builder
	counts := map[audit.Severity]int{}
	expected, unchecked := 0, 0
	for _, f := range findings {
		switch {
		case f.NotChecked:
			unchecked++
			if verbose {
				fmt.Fprintf(&b, "%s %s\n  %s\n", f.Check.ID, f.Check.Title, report.Printable(f.Message))
			}
			continue
		case f.Expected != "" && f.Severity == audit.Error:
			expected++
		default:
			counts[f.Severity]++
		}
		fmt.Fprintf(&b, "%s %s  %s: %s\n  %s\n", f.Check.ID, f.Severity, f.Check.Title, report.Printable(f.Where()), report.Printable(f.Message))
		if f.Expected != "" {
			fmt.Fprintf(&b, "  expected: %s\n", report.Printable(f.Expected))
		}
	}
	fmt.Fprintf(&b, "%s, %s, %s", count(counts[audit.Error], "error"), count(counts[audit.Warning], "warning"), count(counts[audit.Info], "remark"))
	if expected > 0 {
		fmt.Fprintf(&b, "; %s that the scenario expects", count(expected, "error"))
	}
	if unchecked > 0 && !verbose {
		fmt.Fprintf(&b, "; %s could not look at everything (-v says why)", count(unchecked, "check"))
	}
	b.WriteString("\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// auditJSON writes findings for programs; docs/results.md describes it.
func auditJSON(w io.Writer, res *analyze.Result, findings []*audit.Finding) error {
	type finding struct {
		Check      string   `json:"check"`
		Title      string   `json:"title"`
		Severity   string   `json:"severity"`
		Message    string   `json:"message"`
		Cells      []string `json:"cells"`
		Expected   string   `json:"expected,omitempty"`
		NotChecked bool     `json:"not_checked,omitempty"`
	}
	list := []finding{}
	for _, f := range findings {
		j := finding{Check: f.Check.ID, Title: f.Check.Title, Severity: string(f.Severity), Message: f.Message, Cells: []string{}, Expected: f.Expected, NotChecked: f.NotChecked}
		for _, c := range f.Cells {
			j.Cells = append(j.Cells, c.Plan.Key)
		}
		list = append(list, j)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(map[string]any{"format": 1, "scenario": res.Scenario.Name, "findings": list})
}

func (a *app) explainCheck(id string) int {
	c := audit.Lookup(id)
	if c == nil {
		return a.fail("there is no check %q; they are A01 to A%02d", id, len(audit.Checks()))
	}
	fmt.Fprint(a.out, c.Page())
	return exitOK
}
