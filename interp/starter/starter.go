// Package starter writes a scenario to start from: for the drivers that
// somebody wants to compare, on the machine at hand, with a methodology that
// the linter has nothing against, and a comment on everything that one may want
// to change. It knows the language only as text, and runs nothing.
package starter

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"versus/drivers"
	"versus/dsl/format"
	"versus/dsl/schema"
)

//go:embed scenario.hcl.tmpl
var text string

var scenario = template.Must(template.New("scenario").Parse(text))

// Machine is what the scenario takes into account of where it will run.
type Machine struct {
	CPUs int
	// Governor is the frequency governor of the CPUs, empty if none is known.
	Governor string
}

// backend is a system under test as the template writes it.
type backend struct {
	Driver, Name, Doc string
	Set               *option  // an option that must be given
	Options           []option // what may be given besides, as comments
}

type option struct{ Name, Default, Doc string }

// what a pattern sends.
var what = map[drivers.Pattern]string{drivers.RPC: "calls", drivers.PubSub: "messages", drivers.Log: "lines"}

// Write returns a scenario that compares the drivers, the first of them as the
// baseline. With one driver, it is compared over payloads alone; a driver with
// an option that must be one of several is compared over these. The error says
// what is wrong with the choice.
func Write(name string, chosen []drivers.Driver, m Machine) ([]byte, error) {
	pattern, err := common(chosen)
	if err != nil {
		return nil, err
	}
	all := backends(chosen)
	parts := halves(m.CPUs)
	data := map[string]any{
		"Name": name, "Pattern": string(pattern), "Machine": m, "Halves": parts, "First": "0",
		"Backends": all, "Baseline": all[0].Name, "Compared": len(all) > 1,
		"Titles": titles(all), "What": what[pattern],
	}
	if parts != nil {
		data["First"] = parts[0]
	}
	var b bytes.Buffer
	if err := scenario.Execute(&b, data); err != nil {
		return nil, err
	}
	src, diags := format.Source(name+".hcl", b.Bytes())
	if diags.HasErrors() {
		return nil, fmt.Errorf("the scenario written is not sound, which is a mistake of versus: %w", diags)
	}
	return src, nil
}

// common is the pattern that all drivers carry: rpc if they can.
func common(chosen []drivers.Driver) (drivers.Pattern, error) {
	if len(chosen) == 0 {
		return "", fmt.Errorf("name a driver; `versus drivers` lists them")
	}
	for i, d := range chosen {
		if d.Recorded != nil {
			return "", fmt.Errorf("%s measures nothing: it plays recorded results, which a `dataset` names; the scenarios *_published.hcl show how", d.Name)
		}
		if slices.ContainsFunc(chosen[:i], func(o drivers.Driver) bool { return o.Name == d.Name }) {
			return "", fmt.Errorf("%s is named twice; to compare it with itself, name it once and add a second backend with other options", d.Name)
		}
	}
	for _, p := range []drivers.Pattern{drivers.RPC, drivers.PubSub, drivers.Log} {
		if !slices.ContainsFunc(chosen, func(d drivers.Driver) bool { return !d.Carries(p) }) {
			return p, nil
		}
	}
	var each []string
	for _, d := range chosen {
		each = append(each, fmt.Sprintf("%s has %v", d.Name, d.Patterns))
	}
	return "", fmt.Errorf("these drivers have no pattern in common: %s", strings.Join(each, ", "))
}

// halves are the CPUs of both sides as a host takes them, none with one CPU.
func halves(cpus int) []string {
	switch {
	case cpus < 2:
		return nil
	case cpus < 4:
		return []string{"0", "1"}
	}
	return []string{fmt.Sprintf("0-%d", cpus/2-1), fmt.Sprintf("%d-%d", cpus/2, cpus-1)}
}

// backends are the systems of the drivers: one each, or one for each value of an
// option that must be given.
func backends(chosen []drivers.Driver) []backend {
	var all []backend
	for _, d := range chosen {
		b := backend{Driver: d.Name, Name: d.Name, Doc: d.Doc}
		var must *schema.Attr
		for _, a := range d.Attrs {
			switch {
			case a.Required && len(a.OneOf) > 0:
				must = &a
			case a.Default != "" && a.NotBuilt == "":
				b.Options = append(b.Options, option{a.Name, a.Default, firstSentence(a)})
			}
		}
		if must == nil {
			all = append(all, b)
			continue
		}
		for _, value := range must.OneOf {
			b.Name = value
			b.Set = &option{must.Name, strconv.Quote(value), ""}
			all = append(all, b)
			b.Doc, b.Options = "", nil // said once
		}
	}
	return all
}

func firstSentence(a schema.Attr) string {
	head, _, _ := strings.Cut(a.Doc, ". ")
	return strings.TrimSuffix(strings.ReplaceAll(head, "\n", " "), ".")
}

func titles(all []backend) string {
	var names []string
	for _, b := range all {
		names = append(names, b.Name)
	}
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
