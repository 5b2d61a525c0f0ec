package main

import (
	"encoding/json"
	"fmt"
	"time"

	"versus/interp/analyze"
	"versus/interp/journal"
	"versus/interp/report"
)

// adviceJSON is what `versus plan --advise --format json` writes.
type adviceJSON struct {
	Scenario   string           `json:"scenario"`
	Precision  float64          `json:"precision"` // half width wanted, as a share of the mean
	Confidence float64          `json:"confidence"`
	Cells      []analyze.Advice `json:"cells"`
	// Assumptions are what the numbers rest on.
	Assumptions []string `json:"assumptions"`
}

// advise prints how many runs the cells of a pilot need.
func (a *app) advise(dir string, precision float64) int {
	if !(precision > 0 && precision < 1) {
		return a.fail("--precision is a share between 0 and 1, such as 0.02 for plus or minus 2%%")
	}
	content, err := journal.Read(dir)
	if err != nil {
		return a.fail("%v", err)
	}
	l := loadJournal(content.Header)
	if l.plan == nil {
		fmt.Fprintf(a.err, "versus: the scenario in %s can't be read by this version of versus (it was written by %s).\n", dir, content.Header.Versus)
		a.show(l.shown())
		return exitScenario
	}
	res, err := analyze.Analyze(l.scenario, l.plan, content.Runs)
	if err != nil {
		return a.fail("%v", err)
	}
	out := adviceJSON{Scenario: l.scenario.Name, Precision: precision, Confidence: analyze.AdviceConfidence, Cells: res.Advise(precision), Assumptions: assumptions}
	if a.format == "json" {
		e := json.NewEncoder(a.out)
		e.SetIndent("", "  ")
		err = e.Encode(out)
	} else {
		err = report.Text(a.out, adviceReport(out), report.Options{Color: a.color(a.out), Width: a.width(a.out)})
	}
	if err != nil {
		return a.fail("%v", err)
	}
	return exitOK
}

var assumptions = []string{
	"Further runs spread like those of the pilot; they are independent, and about normal. A pilot of few runs knows its own spread badly: that of 6 may be wrong by a factor of 2.",
	"Runs needed: (t s / (e mean))^2, t with the degrees of freedom of the pilot, s its standard deviation, e the precision wanted (Hoefler and Belli 2015).",
	"Best length of a run: sqrt(c2/c1 T1/T2) windows, for the variances T1 within and T2 between runs and the costs of a window and of a run (Kalibera and Jones 2013). Windows count as independent, and the time beyond the measurement as fixed. It is about the mean alone: shorter runs show less of the tail, and more of a warm-up.",
}

// adviceReport lays advice out as a table.
func adviceReport(out adviceJSON) *report.Report {
	t := &report.Table{Name: "advice", Title: fmt.Sprintf("Runs for a mean within +-%.3g%%", 100*out.Precision)}
	for i, title := range []string{"cell", "pilot", "spread", "now", "runs needed", "time", "best measure", "runs then", "time then"} {
		t.Columns = append(t.Columns, report.Column{Title: title, Label: i == 0})
	}
	r := &report.Report{Name: out.Scenario, Title: out.Scenario + ": advice from a pilot", Tables: []*report.Table{t}}
	for _, c := range out.Cells {
		row := []report.Cell{{Kind: report.KindLabel, Parts: []string{c.Cell}}}
		texts := make([]string, 8)
		if c.Need > 0 {
			copy(texts, []string{count(c.Runs, "run"), share(c.Spread), "+-" + share(c.Precision), fmt.Sprint(c.Need), length(c.Seconds)})
		}
		if b := c.Best; b != nil {
			copy(texts[5:], []string{length(b.Measure), fmt.Sprint(b.Need), length(b.Seconds)})
		}
		for _, text := range texts {
			row = append(row, report.Cell{Kind: report.KindText, Parts: []string{text}})
		}
		t.Rows = append(t.Rows, row)
		if c.Problem != "" {
			r.Notes = append(r.Notes, report.Note{Warning: c.Need == 0, Text: fmt.Sprintf("%s: %s.", c.Cell, c.Problem)})
		}
	}
	for _, text := range out.Assumptions {
		t.Footnotes = append(t.Footnotes, report.Footnote{Text: text})
	}
	return r
}

func share(x float64) string { return fmt.Sprintf("%.2g%%", 100*x) }

func length(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case seconds > 1e9:
		return "over 30 years"
	case d >= 10*time.Second:
		return d.Round(time.Second).String()
	}
	return d.Round(10 * time.Millisecond).String()
}
