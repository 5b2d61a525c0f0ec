package main

import (
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"versus/drivers"
	"versus/drivers/all"
	"versus/dsl"
	"versus/dsl/diag"
	"versus/interp/plan"
)

// variables collects -var and -var-file in the order of the command line.
type variables struct{ set []dsl.Setting }

func (v *variables) register(fs *flag.FlagSet) {
	fs.Func("var", "`name=value` of a variable; may be repeated", func(text string) error {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return fmt.Errorf("write name=value, not %q", text)
		}
		v.set = append(v.set, dsl.Setting{Name: name, Value: value})
		return nil
	})
	fs.Func("var-file", "`file` of values of variables; may be repeated", func(name string) error {
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		v.set = append(v.set, dsl.Setting{File: name, Content: content})
		return nil
	})
}

// config is what loading needs: the drivers, the environment, and the values
// given on the command line.
func config(set []dsl.Setting) dsl.Config {
	reg := all.Registry()
	patterns := map[string][]string{}
	for _, d := range reg {
		for _, p := range d.Patterns {
			patterns[d.Name] = append(patterns[d.Name], string(p))
		}
	}
	return dsl.Config{Drivers: reg.Kinds(), Patterns: patterns, Set: set, Env: os.Environ()}
}

// loaded is a scenario with its plan, and what was found wrong on the way.
type loaded struct {
	scenario *dsl.Scenario
	plan     *plan.Plan
	diags    hcl.Diagnostics
	sources  map[string][]byte
	// place gives a file of sources the name under which people find it.
	place func(file string) string
}

// load reads and plans a scenario. The plan is nil if anything is wrong.
func load(path string, set []dsl.Setting, opts plan.Options) loaded {
	l := loaded{place: placed(path, set)}
	l.scenario, l.sources, l.diags = dsl.Load(path, config(set))
	if l.scenario == nil {
		return l
	}
	p, diags := plan.New(l.scenario, all.Registry(), opts)
	l.plan = p
	l.diags = append(l.diags, diags...)
	return l
}

// placed names the files of a scenario, which are relative to its folder, as
// seen from the working folder.
func placed(scenario string, set []dsl.Setting) func(file string) string {
	dir := scenario
	if info, err := os.Stat(scenario); err != nil || !info.IsDir() {
		dir = filepath.Dir(scenario)
	}
	return func(file string) string {
		named := slices.ContainsFunc(set, func(s dsl.Setting) bool { return s.File != "" && s.File == file })
		if named || strings.HasPrefix(file, "std/") {
			return file
		}
		return path.Join(filepath.ToSlash(dir), file)
	}
}

// shown are the diagnostics and the sources with the names under which people
// find the files.
func (l loaded) shown() (hcl.Diagnostics, map[string][]byte) {
	if l.place == nil {
		return l.diags, l.sources
	}
	sources := map[string][]byte{}
	for file, text := range l.sources {
		sources[l.place(file)] = text
	}
	at := func(r *hcl.Range) *hcl.Range {
		if r == nil || l.sources[r.Filename] == nil {
			return r
		}
		moved := *r
		moved.Filename = l.place(r.Filename)
		return &moved
	}
	var diags hcl.Diagnostics
	for _, d := range l.diags {
		moved := *d
		moved.Subject, moved.Context = at(d.Subject), at(d.Context)
		diags = append(diags, &moved)
	}
	return diags, sources
}

// show prints diagnostics for people, on the error stream.
func (a *app) show(diags hcl.Diagnostics, sources map[string][]byte) {
	_ = diag.Text(a.err, diags, sources, diag.Options{Color: a.color(a.err), Width: a.width(a.err)})
}

// usedDrivers are the drivers that the backends of a scenario name.
func usedDrivers(s *dsl.Scenario) drivers.Registry {
	var used drivers.Registry
	for _, d := range all.Registry() {
		if slices.ContainsFunc(s.Backends, func(b *dsl.Backend) bool { return b.Driver == d.Name }) {
			used = append(used, d)
		}
	}
	return used
}
