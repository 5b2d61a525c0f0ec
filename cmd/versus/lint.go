package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"versus/drivers/all"
	"versus/dsl"
	"versus/dsl/diag"
	"versus/dsl/spell"
	"versus/interp/lint"
	"versus/interp/plan"
)

func lintCommand(a *app, fs *flag.FlagSet, args []string) int {
	var vars variables
	vars.register(fs)
	fix := fs.Bool("fix", false, "mend what can be mended safely, in the files of the scenario")
	explain := fs.String("explain", "", "explain one `rule`, as R05, and lint nothing")
	list := fs.Bool("rules", false, "list the rules, and lint nothing")
	paths, code, done := a.parse(fs, args, 0, 1000)
	switch {
	case done:
		return code
	case *explain != "":
		return a.explainRule(*explain)
	case *list:
		return a.listRules()
	case len(paths) == 0:
		return a.fail("usage: versus lint [flags] %s", commandOf("lint").args)
	}
	l := linter{app: a, vars: vars.set, fix: *fix, sources: map[string][]byte{}}
	broken := false
	for _, name := range paths {
		broken = !l.scenario(name) || broken
	}
	if err := l.write(); err != nil {
		return a.fail("%v", err)
	}
	switch {
	case broken:
		return exitScenario
	case l.errors > 0:
		return exitExpectation
	}
	return exitOK
}

// linter lints one scenario after the other.
type linter struct {
	*app
	vars    []dsl.Setting
	fix     bool
	sources map[string][]byte // by the names under which findings are shown
	reports []lint.Report
	errors  int
}

// scenario lints one; false says that it could not be loaded, or not mended.
func (l *linter) scenario(name string) bool {
	loaded := load(name, l.vars, plan.Options{Many: true})
	if loaded.plan == nil {
		l.show(loaded.shown())
		return false
	}
	dir := filepath.Dir(name)
	if loaded.scenario.Main == "." {
		dir = name
	}
	r := lint.Report{Scenario: name}
	sources, ok := loaded.sources, true
	if l.fix {
		fixed, diags := lint.Fix(sources, l.reload(loaded.scenario.Main), all.Registry(), lint.Rules())
		if fixed == nil {
			l.show(diags, sources)
			return false
		}
		r.Findings, r.Fixed, sources = fixed.Findings, fixed.Applied, fixed.Sources
		for _, changed := range fixed.Changed {
			if err := replace(filepath.Join(dir, filepath.FromSlash(changed)), sources[changed]); err != nil {
				l.fail("%v", err)
				ok = false
			}
		}
	} else {
		r.Findings = lint.Run(loaded.scenario, loaded.plan, all.Registry(), lint.Rules())
	}
	for file, src := range sources {
		l.sources[loaded.place(file)] = src
	}
	for _, f := range slices.Concat(r.Findings, r.Fixed) {
		f.Range.Filename = loaded.place(f.Range.Filename)
	}
	l.reports = append(l.reports, r)
	for _, f := range r.Findings {
		if f.Shown() && f.Severity == lint.Error {
			l.errors++
		}
	}
	return ok
}

// reload loads a scenario again from memory, after edits.
func (l *linter) reload(main string) lint.Loader {
	return func(sources map[string][]byte) (*dsl.Scenario, *plan.Plan, hcl.Diagnostics) {
		s, diags := dsl.LoadSources(main, sources, config(l.vars))
		if s == nil {
			return nil, nil, diags
		}
		p, more := plan.New(s, all.Registry(), plan.Options{Many: true})
		return s, p, append(diags, more...)
	}
}

func (l *linter) write() error {
	switch l.format {
	case "json":
		return lint.WriteJSON(l.out, l.reports)
	case "junit":
		return lint.WriteJUnit(l.out, l.reports, lint.Rules())
	case "sarif":
		var diags hcl.Diagnostics
		var rules []diag.Rule
		for _, r := range l.reports {
			for _, f := range r.Findings {
				diags = append(diags, f.Diagnostic())
			}
		}
		for _, r := range lint.Rules() {
			rules = append(rules, r.Described())
		}
		return diag.SARIF(l.out, diags, l.sources, version(), rules...)
	}
	return l.text()
}

// text writes the findings with their places, and beneath them what was
// mended, could not be checked, and was suppressed.
func (l *linter) text() error {
	var diags hcl.Diagnostics
	mendable := 0
	for _, r := range l.reports {
		for _, f := range r.Findings {
			if f.Shown() {
				diags = append(diags, f.Diagnostic())
				if f.Rule.Auto && len(f.Edits) > 0 {
					mendable++
				}
			}
		}
	}
	if err := diag.Text(l.out, diags, l.sources, diag.Options{Color: l.color(l.out), Width: l.width(l.out)}); err != nil {
		return err
	}
	if mendable > 0 && !l.fix {
		fmt.Fprintf(l.out, "%s can be mended with -fix\n", count(mendable, "finding"))
	}
	for _, r := range l.reports {
		l.rest(r)
	}
	return nil
}

func (l *linter) rest(r lint.Report) {
	found, silenced := 0, 0
	for _, f := range r.Fixed {
		fmt.Fprintf(l.out, "fixed: %s %s:%d\n", f.Rule.Title(), f.Range.Filename, f.Range.Start.Line)
	}
	for _, f := range r.Findings {
		switch {
		case f.Reason != "" || f.Severity == lint.Off:
			silenced++
		case f.NotChecked:
			fmt.Fprintf(l.out, "not checked: %s %s:%d: %s\n", f.Rule.Title(), f.Range.Filename, f.Range.Start.Line, f.Message)
		default:
			found++
		}
	}
	line := r.Scenario + ": " + count(found, "finding")
	if found == 0 {
		line = r.Scenario + ": no findings"
	}
	if silenced > 0 {
		line += fmt.Sprintf(", %d suppressed", silenced)
	}
	fmt.Fprintln(l.out, line)
}

func (a *app) explainRule(id string) int {
	ids := map[string]*lint.Rule{}
	for _, r := range lint.Rules() {
		ids[r.ID], ids[r.Slug] = r, r
	}
	r := ids[id]
	if r == nil {
		r = ids[strings.ToUpper(id)]
	}
	if r == nil {
		hint := "`versus lint -rules` lists them."
		if near := spell.Nearest(id, slices.Sorted(maps.Keys(ids))); near != "" {
			hint = fmt.Sprintf("Did you mean %q?", near)
		}
		return a.fail("there is no rule %q. %s", id, hint)
	}
	fmt.Fprintf(a.out, "# %s\n\n%s", r.Title(), r.Page())
	return exitOK
}

func (a *app) listRules() int {
	type row struct {
		ID       string        `json:"rule"`
		Name     string        `json:"name"`
		Severity lint.Severity `json:"severity"`
		Auto     bool          `json:"fixable"`
		Summary  string        `json:"summary"`
	}
	var rows []row
	for _, r := range lint.Rules() {
		rows = append(rows, row{r.ID, r.Slug, r.Severity, r.Auto, r.Summary()})
	}
	if a.format == "json" {
		e := json.NewEncoder(a.out)
		e.SetIndent("", "  ")
		_ = e.Encode(rows)
		return exitOK
	}
	for _, r := range rows {
		fix := "    "
		if r.Auto {
			fix = "auto"
		}
		fmt.Fprintf(a.out, "%s  %-7s  %s  %-28s  %s\n", r.ID, r.Severity, fix, r.Name, r.Summary)
	}
	return exitOK
}
