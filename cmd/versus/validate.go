package main

import (
	"flag"
	"fmt"
	"maps"

	"github.com/hashicorp/hcl/v2"

	"versus/dsl/diag"
	"versus/interp/plan"
)

func validateCommand(a *app, fs *flag.FlagSet, args []string) int {
	var vars variables
	vars.register(fs)
	paths, code, done := a.parse(fs, args, 1, 1000)
	if done {
		return code
	}
	var diags hcl.Diagnostics
	sources := map[string][]byte{}
	for _, path := range paths {
		l := load(path, vars.set, plan.Options{Many: true})
		found, files := l.shown()
		diags = append(diags, found...)
		maps.Copy(sources, files)
		if a.format == "text" {
			a.show(found, files)
			if !l.diags.HasErrors() {
				fmt.Fprintf(a.out, "%s: valid, %d cells, %d runs\n", path, l.plan.Cells(), l.plan.Runs())
			}
		}
	}
	switch a.format {
	case "json":
		_ = diag.JSON(a.out, diags, sources)
	case "sarif":
		_ = diag.SARIF(a.out, diags, sources, version())
	}
	if diags.HasErrors() {
		return exitScenario
	}
	return exitOK
}
