package main

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"versus/interp/journal"
	"versus/interp/report/page"
	"versus/stdlib/units"
)

// writePage writes a report as one HTML file.
func writePage(file string, b built) error {
	content := b.content
	p := &page.Page{
		Report: b.report, Result: b.result,
		About: about(content), Environment: environment(content.Environment),
		Fingerprint: content.Header.Fingerprint, Methodology: content.Header.Methodology,
	}
	for _, name := range slices.Sorted(maps.Keys(content.Header.Sources)) {
		p.Sources = append(p.Sources, page.Source{Name: name, Text: content.Header.Sources[name]})
	}
	var text bytes.Buffer
	if err := page.Write(&text, p); err != nil {
		return err
	}
	return replace(file, text.Bytes())
}

func about(c *journal.Content) []page.Fact {
	h := c.Header
	facts := []page.Fact{
		{Name: "scenario", Value: h.Scenario},
		{Name: "begun", Value: h.Created.UTC().Format("2006-01-02 15:04:05 UTC")},
		{Name: "versus", Value: h.Versus},
		{Name: "runs", Value: fmt.Sprintf("%d of %d planned", len(c.Runs), h.Runs)},
	}
	for _, name := range slices.Sorted(maps.Keys(h.Variables)) {
		if v := h.Variables[name]; v != "" { // empty: sensitive
			facts = append(facts, page.Fact{Name: "var." + name, Value: v})
		}
	}
	return facts
}

// environment is the machine of a result; what is not known is left out.
func environment(e journal.Environment) []page.Fact {
	facts := []page.Fact{
		{Name: "host", Value: e.Host}, {Name: "system", Value: e.OS}, {Name: "kernel", Value: e.Kernel}, {Name: "CPU", Value: e.CPU},
		{Name: "cores", Value: fmt.Sprint(e.Cores)}, {Name: "memory", Value: units.FormatSize(float64(e.Memory))},
		{Name: "governor", Value: e.Governor}, {Name: "turbo", Value: e.Turbo}, {Name: "hyper-threading", Value: e.SMT},
		{Name: "transparent huge pages", Value: e.HugePages}, {Name: "limit of CPU time", Value: fmt.Sprint(e.CPULimit)},
		{Name: "virtual machine", Value: e.Virtual}, {Name: "mitigations of CPU faults", Value: e.Mitigations},
		{Name: "clock", Value: e.Clock}, {Name: "Go", Value: e.Go}, {Name: "versus (hash)", Value: e.Versus},
	}
	for _, name := range slices.Sorted(maps.Keys(e.Versions)) {
		facts = append(facts, page.Fact{Name: name, Value: e.Versions[name]})
	}
	for _, name := range slices.Sorted(maps.Keys(e.Machines)) {
		m := e.Machines[name]
		facts = append(facts, page.Fact{Name: "machine " + name, Value: fmt.Sprintf("%s, %d cores, %s, %s, %s", m.CPU, m.Cores, units.FormatSize(float64(m.Memory)), m.OS, m.Kernel)})
	}
	return slices.DeleteFunc(facts, func(f page.Fact) bool { return f.Value == "" || f.Value == "0" })
}
