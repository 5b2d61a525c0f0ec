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

// backend is a driver as the template writes it.
type backend struct {
	Name, Doc string
	Options   []option
}

type option struct{ Name, Default, Doc string }

// Write returns a scenario that compares the drivers, the first of them as the
// baseline. With one driver, it is compared over payloads alone. The error says
// what is wrong with the choice.
func Write(name string, chosen []drivers.Driver, m Machine) ([]byte, error) {
	pattern, err := common(chosen)
	if err != nil {
		return nil, err
	}
	data := map[string]any{
		"Name": name, "Pattern": string(pattern), "Machine": m, "Halves": halves(m.CPUs),
		"Backends": backends(chosen), "Baseline": chosen[0].Name, "Compared": len(chosen) > 1,
		"Titles": titles(chosen),
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
	for _, p := range []drivers.Pattern{drivers.RPC, drivers.PubSub} {
		if !slices.ContainsFunc(chosen, func(d drivers.Driver) bool { return !d.Carries(p) }) {
			return p, nil
		}
	}
	var each []string
	for _, d := range chosen {
		each = append(each, fmt.Sprintf("%s has %v", d.Name, d.Patterns))
	}
	return "", fmt.Errorf("these drivers have neither rpc nor pubsub in common: %s", strings.Join(each, ", "))
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

func backends(chosen []drivers.Driver) []backend {
	var all []backend
	for _, d := range chosen {
		b := backend{Name: d.Name, Doc: d.Doc}
		for _, a := range d.Attrs {
			if a.Default != "" && a.NotBuilt == "" {
				b.Options = append(b.Options, option{a.Name, a.Default, firstSentence(a)})
			}
		}
		all = append(all, b)
	}
	return all
}

func firstSentence(a schema.Attr) string {
	head, _, _ := strings.Cut(a.Doc, ". ")
	return strings.TrimSuffix(strings.ReplaceAll(head, "\n", " "), ".")
}

func titles(chosen []drivers.Driver) string {
	var names []string
	for _, d := range chosen {
		names = append(names, d.Name)
	}
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
