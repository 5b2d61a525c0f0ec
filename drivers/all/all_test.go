package all_test

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"versus/drivers"
	"versus/drivers/all"
	"versus/drivers/worker"
	"versus/dsl/schema"
)

func TestSchemas(t *testing.T) {
	for _, d := range all.Registry() {
		t.Run(d.Name, func(t *testing.T) {
			checkDoc(t, d.Name, d.Doc)
			checkAttrs(t, d.Attrs)
			for _, b := range d.Blocks {
				checkBlock(t, b)
			}
		})
	}
}

func checkDoc(t *testing.T, name, doc string) {
	t.Helper()
	if doc == "" || !strings.HasSuffix(doc, ".") || strings.Contains(doc, "\n") {
		t.Errorf("%s: the doc is not a sentence on one line: %q", name, doc)
	}
}

var identifier = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

func checkAttrs(t *testing.T, attrs []schema.Attr) {
	t.Helper()
	seen := map[string]bool{}
	for _, a := range attrs {
		if !identifier.MatchString(a.Name) || seen[a.Name] {
			t.Errorf("argument %q: not a name, or twice", a.Name)
		}
		seen[a.Name] = true
		checkDoc(t, a.Name, a.Doc)
		if _, d := hclsyntax.ParseExpression([]byte(a.Example), "example", hcl.InitialPos); a.Example == "" || d.HasErrors() {
			t.Errorf("%s: example %q: %v", a.Name, a.Example, d)
		}
		if a.Required == (a.Default != "") && a.Type != schema.Map {
			t.Errorf("%s: required and with a default, or neither", a.Name)
		}
		if a.Default != "" {
			checkDefault(t, a)
		}
	}
}

// checkDefault decodes a default as if it were written in a scenario.
func checkDefault(t *testing.T, a schema.Attr) {
	t.Helper()
	e, d := hclsyntax.ParseExpression([]byte(a.Default), "default", hcl.InitialPos)
	if d.HasErrors() {
		t.Errorf("%s: default %q: %v", a.Name, a.Default, d)
		return
	}
	v, d := e.Value(nil)
	if d.HasErrors() || v.IsNull() {
		t.Errorf("%s: default %q: %v", a.Name, a.Default, d)
		return
	}
	switch a.Type {
	case schema.String:
		if v.Type() != cty.String || len(a.OneOf) > 0 && !slices.Contains(a.OneOf, v.AsString()) {
			t.Errorf("%s: default %s is not one of %q", a.Name, a.Default, a.OneOf)
		}
	case schema.Integer:
		f, _ := v.AsBigFloat().Float64()
		if v.Type() != cty.Number || !v.AsBigFloat().IsInt() || a.Min != a.Max && (f < a.Min || f > a.Max) {
			t.Errorf("%s: default %s is not a whole number from %v to %v", a.Name, a.Default, a.Min, a.Max)
		}
	case schema.Bool:
		if v.Type() != cty.Bool {
			t.Errorf("%s: default %s is not a bool", a.Name, a.Default)
		}
	}
}

func checkBlock(t *testing.T, b schema.Block) {
	t.Helper()
	checkDoc(t, b.Type, b.Doc)
	if _, d := hclsyntax.ParseConfig([]byte(b.Example), "example", hcl.InitialPos); b.Example == "" || d.HasErrors() {
		t.Errorf("block %s: example %q: %v", b.Type, b.Example, d)
	}
	checkAttrs(t, b.Attrs)
	for _, k := range b.Kinds {
		checkDoc(t, k.Name, k.Doc)
		checkAttrs(t, k.Attrs)
	}
	for _, inner := range b.Blocks {
		checkBlock(t, inner)
	}
}

func TestDrivers(t *testing.T) {
	names := map[string]bool{}
	for _, d := range all.Registry() {
		t.Run(d.Name, func(t *testing.T) {
			if names[d.Name] {
				t.Error("the name is there twice")
			}
			names[d.Name] = true
			if (d.Roles == nil) == (d.Recorded == nil) {
				t.Error("a driver has either roles or recorded results")
			}
			found := d.Probe(context.Background())
			for name, version := range found.Versions {
				if version == "" {
					t.Errorf("no version of %s", name)
				}
			}
			if (found.Missing == "") != (found.Get == "") {
				t.Errorf("%q is missing, and how to get it is %q", found.Missing, found.Get)
			}
			for _, p := range d.Patterns {
				checkRoles(t, d, p)
			}
		})
	}
}

// checkRoles starts nothing: it finds the worker of each role, passive ones
// before the active one.
func checkRoles(t *testing.T, d drivers.Driver, p drivers.Pattern) {
	t.Helper()
	if d.Roles == nil {
		return
	}
	w := drivers.Workload{Driver: d.Name, Pattern: p, Concurrency: 1, Topics: 1, Payload: drivers.Payload{Kind: "bytes", Bytes: 64}}
	w.EventService = d.EventService && p == drivers.PubSub
	if err := d.Verify(w); err != nil {
		t.Errorf("%s: %v", p, err)
	}
	roles, err := d.Roles(w)
	least := 2
	if p == drivers.Log {
		least = 1 // a logger is alone
	}
	if err != nil || len(roles) < least {
		t.Fatalf("%s: roles %v, %v", p, roles, err)
	}
	for i, r := range roles {
		if last := i == len(roles)-1; r.Active != last {
			t.Errorf("%s: role %s is %d of %d, active: %v", p, r.Name, i+1, len(roles), r.Active)
		}
		if len(r.Command) > 0 {
			continue // a program of its own; its driver's tests start it
		}
		workers, err := all.Worker(d.Name, r.Name)
		if err != nil {
			t.Errorf("%s: %v", p, err)
			continue
		}
		active := false
		switch workers[r.Name].(type) {
		case worker.ClientFunc, worker.PublisherFunc, worker.LoggerFunc:
			active = true
		case worker.ServerFunc, worker.SubscriberFunc:
		default:
			t.Errorf("%s: role %s is a %T", p, r.Name, workers[r.Name])
		}
		if active != r.Active {
			t.Errorf("%s: role %s is a %T, active: %v", p, r.Name, workers[r.Name], r.Active)
		}
	}
}

func TestNoSuchWorker(t *testing.T) {
	for _, c := range []struct{ driver, role, want string }{
		{"grcp", "client", `no driver "grcp"; there are: grpc, http`},
		{"mqtt", "clinet", `no role "clinet"; it has: broker, client`},
		{"replay", "client", "no role"},
	} {
		if _, err := all.Worker(c.driver, c.role); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: error %v, want %q", c.driver, c.role, err, c.want)
		}
	}
}
