// Package page writes a report as one HTML file that needs nothing else: no
// network, no script, no other file. Charts are in it as SVG, which shows values
// where the pointer rests; numbers, methodology and sources are in it as text to
// copy.
//
// Every text in a report is untrusted, whoever wrote it: html/template escapes
// what is printed, and a content security policy keeps the browser from running
// or loading anything even if something got past it.
package page

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"versus/interp/analyze"
	"versus/interp/audit"
	"versus/interp/report"
	"versus/interp/report/chart"
)

// Fact is a name and what it is.
type Fact struct{ Name, Value string }

// Source is a file of the scenario.
type Source struct{ Name, Text string }

// Page is what is written.
type Page struct {
	Report *report.Report
	Result *analyze.Result
	// About is when, by what version and from what the result came; Environment
	// the machine and the versions of what was measured.
	About, Environment []Fact
	// Fingerprint is that of the lines of the methodology.
	Fingerprint string
	Methodology []string
	Sources     []Source
}

//go:embed page.html
var pageText string

//go:embed page.css
var style string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{"style": func() template.CSS { return template.CSS(style) }}).Parse(pageText))

// Write writes the page. The same page gives the same bytes.
func Write(w io.Writer, p *Page) error {
	v, err := p.view()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, v); err != nil {
		return fmt.Errorf("the page: %w", err)
	}
	_, err = w.Write(b.Bytes())
	return err
}

// view is a page as the template prints it, every text made visible.
type view struct {
	Title, Description string
	About, Environment []Fact
	Errors, Known      []finding // errors, and those that the scenario expects
	Others, Unchecked  []finding
	Recorded           string // what the environment has nothing to do with
	Failed, Warnings   int
	Summary            []report.Paragraph
	Tables             []table
	Charts             []figure
	Expectations       []report.Expectation
	Notes              []report.Note
	Fingerprint        string
	Methodology        string
	Sources            []Source
	TablesCSV, RunsCSV string
	Bootstrap          string
}

type finding struct{ ID, Title, Severity, Where, Message, Expected string }

type figure struct {
	ID, Title string
	// SVG is the chart for a wide window, and Narrow for a phone. One is shown.
	SVG, Narrow template.HTML
	Problem     string
	Notes       []string
	Missing     []string
	Points      []string
	Left        int // points that are not listed
}

func (p *Page) view() (*view, error) {
	r := p.Report
	v := &view{
		Title: text(r.Title), Description: text(r.Description),
		About: facts(p.About), Environment: facts(p.Environment),
		Fingerprint: text(p.Fingerprint), Methodology: lines(strings.Join(p.Methodology, "\n")),
		Charts: figures(r.Charts),
	}
	for _, s := range p.Sources {
		v.Sources = append(v.Sources, Source{text(s.Name), lines(s.Text)})
	}
	v.Recorded = recorded(p.Result)
	for _, s := range r.Summary {
		v.Summary = append(v.Summary, report.Paragraph{Title: text(s.Title), Lines: texts(s.Lines)})
	}
	for _, f := range r.Findings {
		v.addFinding(f)
	}
	for i, t := range r.Tables {
		v.Tables = append(v.Tables, tableOf(t, fmt.Sprintf("table-%d", i+1)))
	}
	for _, e := range r.Expectations {
		if e.Status == report.Fail {
			v.Failed++
		}
		e.Text, e.Failures = text(e.Text), texts(e.Failures)
		v.Expectations = append(v.Expectations, e)
	}
	for _, n := range r.Notes {
		if n.Warning {
			v.Warnings++
		}
		v.Notes = append(v.Notes, report.Note{Warning: n.Warning, Text: text(n.Text)})
	}
	if r.Resamples > 0 {
		v.Bootstrap = report.IntervalNote(r)
	}
	var tables, runs strings.Builder
	if err := report.CSV(&tables, r); err != nil {
		return nil, err
	}
	if err := report.RunsCSV(&runs, p.Result); err != nil {
		return nil, err
	}
	v.TablesCSV, v.RunsCSV = lines(cut(tables.String())), lines(cut(runs.String()))
	return v, nil
}

// recorded says which numbers of a result were not measured on its machine.
func recorded(r *analyze.Result) string {
	var tests []string
	all := len(r.Cells) > 0
	for _, c := range r.Cells {
		switch t := c.Plan.Test; {
		case t.Pattern != "replay":
			all = false
		case !slices.Contains(tests, t.Name):
			tests = append(tests, t.Name)
		}
	}
	switch {
	case all:
		return "The numbers were recorded elsewhere, and the notes say where. This is the machine on which they were computed again."
	case len(tests) > 0:
		return "The numbers of " + text(strings.Join(tests, ", ")) + " were recorded elsewhere, and the notes say where. All others were measured here."
	}
	return ""
}

func (v *view) addFinding(f *audit.Finding) {
	x := finding{ID: f.Check.ID, Title: text(f.Check.Title), Severity: string(f.Severity), Where: text(f.Where()), Message: text(f.Message), Expected: text(f.Expected)}
	switch {
	case f.NotChecked:
		v.Unchecked = append(v.Unchecked, x)
	case f.Severity == audit.Error && f.Expected == "":
		v.Errors = append(v.Errors, x)
	case f.Severity == audit.Error:
		v.Known = append(v.Known, x)
	default:
		v.Others = append(v.Others, x)
	}
}

// maxListed is how many points of a chart are listed below it.
const maxListed = 200

// figures draws the charts, each name alike in all of them.
func figures(charts []*chart.Chart) []figure {
	looks := chart.Looks(charts)
	var out []figure
	for i, c := range charts {
		f := figure{ID: fmt.Sprintf("chart-%d", i+1), Title: text(c.Title), Notes: texts(c.Notes), Missing: texts(c.Missing())}
		for narrow, svg := range map[bool]*template.HTML{false: &f.SVG, true: &f.Narrow} {
			var b strings.Builder
			if err := chart.SVG(&b, c, chart.Options{Looks: looks, Inline: true, Narrow: narrow}); err != nil {
				f.Problem = text(err.Error())
			}
			*svg = template.HTML(b.String())
		}
		values := texts(c.Values())
		if len(values) > maxListed {
			values, f.Left = values[:maxListed], len(values)-maxListed
		}
		f.Points = values
		out = append(out, f)
	}
	return out
}

func text(s string) string { return report.Printable(s) }

func texts(list []string) []string {
	var out []string
	for _, s := range list {
		out = append(out, text(s))
	}
	return out
}

// maxCSV is how much of a list of numbers a page holds, in bytes.
const maxCSV = 4 << 20

// cut shortens a long CSV after a whole line, and says so.
func cut(s string) string {
	if len(s) <= maxCSV {
		return s
	}
	kept := s[:strings.LastIndexByte(s[:maxCSV], '\n')+1]
	return kept + fmt.Sprintf("(%d more lines are left out; the journal has them)\n", strings.Count(s[len(kept):], "\n"))
}

// lines makes a text of several lines printable.
func lines(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\t", "    ")
	return strings.Join(texts(strings.Split(strings.TrimSuffix(s, "\n"), "\n")), "\n")
}

func facts(list []Fact) []Fact {
	var out []Fact
	for _, f := range list {
		out = append(out, Fact{text(f.Name), text(f.Value)})
	}
	return out
}
