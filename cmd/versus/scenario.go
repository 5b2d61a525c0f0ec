package main

import (
	"flag"
	"fmt"
	"os"
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
}

// load reads and plans a scenario. The plan is nil if anything is wrong.
func load(path string, set []dsl.Setting, opts plan.Options) loaded {
	var l loaded
	l.scenario, l.sources, l.diags = dsl.Load(path, config(set))
	if l.scenario == nil {
		return l
	}
	p, diags := plan.New(l.scenario, all.Registry(), opts)
	l.plan = p
	l.diags = append(l.diags, diags...)
	return l
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
