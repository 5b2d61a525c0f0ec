package main

import (
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2/hclwrite"

	"versus/drivers/all"
	"versus/dsl"
	"versus/interp/analyze"
	"versus/interp/journal"
	"versus/interp/plan"
	"versus/interp/report"
)

func reportCommand(a *app, fs *flag.FlagSet, args []string) int {
	charts := fs.String("charts", "", "draw the charts as SVG and PNG into this `folder`")
	html := fs.String("html", "", "write the whole report as one HTML `file`, which needs nothing else")
	dirs, code, done := a.parse(fs, args, 1, 1)
	if done {
		return code
	}
	if *charts == "" && *html == "" {
		return a.withReport(dirs[0], func(b built) error {
			a.incomplete(dirs[0], b)
			return a.write(a.out, b.report)
		})
	}
	if a.format != "text" {
		return a.fail("-charts and -html write files, and print no tables as %s: leave out one of them, or -format", a.format)
	}
	return a.withReport(dirs[0], func(b built) error {
		if *html != "" {
			if err := writePage(*html, b); err != nil {
				return err
			}
			fmt.Fprintln(a.out, *html)
		}
		if *charts == "" {
			return nil
		}
		files, err := report.DrawCharts(*charts, b.report)
		for _, f := range files {
			fmt.Fprintln(a.out, f)
		}
		if len(b.report.Charts) == 0 {
			fmt.Fprintln(a.err, "versus: the scenario has no chart block: there is nothing to draw.")
		}
		return err
	})
}

// report prints what a journal says. run ends with it too, so that both print
// the same.
func (a *app) report(dir string) int {
	return a.withReport(dir, func(b built) error { return a.write(a.out, b.report) })
}

// incomplete says how to go on with a result that lacks runs.
func (a *app) incomplete(dir string, b built) {
	absent := 0
	for _, c := range b.result.Cells {
		absent += c.Absent
	}
	if absent > 0 && b.content.Header.Shard == nil {
		fmt.Fprintf(a.err, "versus: warning: %s of the plan missing; to make them: versus run --resume %s\n", count(absent, "run"), dir)
	}
}

// built is a report with what it was built from.
type built struct {
	content *journal.Content
	result  *analyze.Result
	report  *report.Report
}

// withReport builds the report of a journal and does something with it.
func (a *app) withReport(dir string, do func(built) error) int {
	content, err := journal.Read(dir)
	if err != nil {
		return a.fail("%v", err)
	}
	res, code := a.analyze(dir, content)
	if res == nil {
		return code
	}
	rep := report.Build(res)
	rep.Result = dir
	if env := content.Environment; env.CPU != "" && len(env.Machines) < 2 {
		rep.MeasuredOn(fmt.Sprintf("%s, %d CPUs, %s", env.CPU, env.Cores, env.Kernel))
	}
	if err := do(built{content, res, rep}); err != nil {
		return a.fail("%v", err)
	}
	return outcome(rep, content.Runs)
}

// analyze computes what the runs of a journal say; nil, with an exit code, if
// that can't be done.
func (a *app) analyze(dir string, content *journal.Content) (*analyze.Result, int) {
	for _, w := range content.Warnings {
		fmt.Fprintf(a.err, "versus: warning: %s\n", report.Printable(w))
	}
	if s := content.Header.Shard; s != nil {
		fmt.Fprintf(a.err, "versus: warning: this is shard %s alone: the cells of the others are missing. Join them first: versus merge OUT DIR...\n", s)
	}
	l := loadJournal(content.Header)
	if l.plan == nil {
		fmt.Fprintf(a.err, "versus: the scenario in %s can't be read by this version of versus (it was written by %s).\n", dir, report.Printable(content.Header.Versus))
		a.show(l.shown())
		return nil, exitScenario
	}
	res, err := analyze.Analyze(l.scenario, l.plan, content.Runs)
	if err != nil {
		return nil, a.fail("%v", err)
	}
	return res, exitOK
}

func (a *app) write(w io.Writer, rep *report.Report) error {
	switch a.format {
	case "markdown":
		return report.Markdown(w, rep)
	case "csv":
		return report.CSV(w, rep)
	case "json":
		return report.JSON(w, rep)
	case "latex":
		return report.Latex(w, rep)
	case "junit":
		return report.JUnit(w, rep)
	case "github":
		return report.GitHub(w, rep)
	}
	return report.Text(w, rep, report.Options{Color: a.color(w), Width: a.width(w)})
}

// outcome is the exit code of a result.
func outcome(rep *report.Report, runs []journal.Run) int {
	for _, r := range runs {
		if r.Status == journal.Failed {
			return exitRun
		}
	}
	if rep.Failed() {
		return exitExpectation
	}
	return exitOK
}

// loadJournal loads the scenario that a journal holds, with the values that
// its variables had.
func loadJournal(h journal.Header) loaded {
	l := loaded{sources: map[string][]byte{}}
	for name, text := range h.Sources {
		l.sources[name] = []byte(text)
	}
	cfg := config(recorded(h))
	cfg.Env = nil
	l.scenario, l.diags = dsl.LoadSources(h.Main, l.sources, cfg)
	if l.scenario == nil {
		return l
	}
	p, diags := plan.New(l.scenario, all.Registry(), plan.Options{Many: true})
	l.plan = p
	l.diags = append(l.diags, diags...)
	return l
}

// recorded are the values of variables in a journal.
func recorded(h journal.Header) []dsl.Setting {
	var set []dsl.Setting
	for _, name := range slices.Sorted(maps.Keys(h.Variables)) {
		text := h.Variables[name]
		set = append(set, dsl.Setting{Name: name, Value: text, HCL: true, Hidden: text == ""})
	}
	return set
}

// values are the variables of a scenario as a journal keeps them: as HCL, and
// empty where they are sensitive.
func values(s *dsl.Scenario) map[string]string {
	m := map[string]string{}
	for _, v := range s.Variables {
		m[v.Name] = ""
		if !v.Sensitive {
			m[v.Name] = string(hclwrite.TokensForValue(v.Value).Bytes())
		}
	}
	return m
}
