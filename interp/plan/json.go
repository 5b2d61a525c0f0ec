package plan

import (
	"bufio"
	"encoding/json"
	"io"

	"versus/drivers"
)

// Summary is a plan without its cells.
type Summary struct {
	Scenario string `json:"scenario"`
	Cells    int    `json:"cells"`
	Runs     int    `json:"runs"`
	// AtMost says that Runs and Seconds are a limit: a stop rule may need fewer.
	AtMost  bool          `json:"at_most,omitempty"`
	Tests   []TestSummary `json:"tests"`
	Filters []Filter      `json:"filters,omitempty"`
	// Repeated is how often a sweep names a cell that an earlier one has.
	Repeated int `json:"repeated,omitempty"`
	// Seconds is the part of the duration that is known before it runs, and
	// UnknownRuns the number of runs that last longer than their part of it.
	Seconds     float64 `json:"seconds"`
	UnknownRuns int     `json:"unknown_runs,omitempty"`
}

// TestSummary is the part of a plan that one test makes.
type TestSummary struct {
	Name        string   `json:"name"`
	Pattern     string   `json:"pattern"`
	Axes        []string `json:"axes"`
	Methodology string   `json:"methodology,omitempty"`
	Order       string   `json:"order"`
	Seed        int64    `json:"seed,omitempty"` // of the order random
	First       int      `json:"first"`          // index of its first cell
	Cells       int      `json:"cells"`
	RunsPerCell int      `json:"runs_per_cell"`
	AtLeast     int      `json:"at_least,omitempty"` // runs of a cell, where a stop rule may need fewer
	// Twins is how many of the cells are measured twice, for the noise floor.
	Twins int `json:"twins,omitempty"`
}

// Summary returns the plan without its cells.
func (p *Plan) Summary() Summary {
	known, unknown := p.Estimate()
	s := Summary{
		Scenario: p.scenario.Name, Cells: p.cells, Runs: p.runs, Filters: p.filters, Repeated: p.repeated,
		Seconds: known.Seconds(), UnknownRuns: unknown,
	}
	for _, t := range p.tests {
		o := t.order()
		ts := TestSummary{
			Name: t.Name, Pattern: t.Pattern, Axes: append([]string{}, t.axes...), Methodology: o.Methodology, Order: o.Order,
			First: t.first, Cells: t.cells, RunsPerCell: t.runs, Twins: len(t.twins),
		}
		if m := t.Methodology; m != nil && m.Until != nil {
			s.AtMost, ts.AtLeast = true, m.Until.Min
		}
		if o.Order == random {
			ts.Seed = o.Seed
		}
		s.Tests = append(s.Tests, ts)
	}
	return s
}

// cellJSON is a cell as WriteJSON writes it.
type cellJSON struct {
	Index    int               `json:"index"`
	Key      string            `json:"key"`
	Test     string            `json:"test"`
	Backend  string            `json:"backend"`
	Axes     map[string]any    `json:"axes"`
	Place    map[string]string `json:"place"` // host by role; "" is all other roles
	Links    []linkJSON        `json:"links,omitempty"`
	Runs     int               `json:"runs"`
	Twin     bool              `json:"twin,omitempty"` // measured twice: as many runs again
	Workload drivers.Workload  `json:"workload"`
}

// linkJSON is a link between the hosts of a cell, in bit/s, seconds and shares of 1.
type linkJSON struct {
	Name    string   `json:"name"`
	Between []string `json:"between"`
	Rate    float64  `json:"rate,omitempty"`
	Delay   float64  `json:"delay,omitempty"`
	Jitter  float64  `json:"jitter,omitempty"`
	Loss    float64  `json:"loss,omitempty"`
	Via     string   `json:"via,omitempty"`
}

// WriteJSON writes the plan as one JSON object: its Summary under "plan", the
// cells with their arguments under "cells", and under "order" the runs, as
// [cell, run], in the order in which they are made. It holds one cell at a
// time in memory. The error is that of w, or of Cell.
func (p *Plan) WriteJSON(w io.Writer) error {
	out := bufio.NewWriter(w)
	write := func(before string, v any) error {
		text, err := json.Marshal(v)
		if err != nil {
			return err
		}
		if _, err := out.WriteString(before); err != nil {
			return err
		}
		_, err = out.Write(text)
		return err
	}
	if err := write("{\n\"plan\": ", p.Summary()); err != nil {
		return err
	}
	separator := ",\n\"cells\": [\n"
	for i := range p.cells {
		c, err := p.Cell(i)
		if err != nil {
			return err
		}
		if err := write(separator, c.json(p.RunsOf(i), p.Twin(i))); err != nil {
			return err
		}
		separator = ",\n"
	}
	separator = "\n],\n\"order\": [\n"
	for _, id := range p.Order() {
		if err := write(separator, [2]int{id.Cell, id.Run}); err != nil {
			return err
		}
		separator = ","
	}
	if _, err := out.WriteString("\n]\n}\n"); err != nil {
		return err
	}
	return out.Flush()
}

func (c *Cell) json(runs int, twin bool) cellJSON {
	j := cellJSON{
		Index: c.Index, Key: c.Key, Test: c.Test.Name, Backend: c.Backend.Name, Runs: runs, Twin: twin, Workload: c.Workload,
		Axes: map[string]any{}, Place: map[string]string{},
	}
	for _, a := range c.Axes {
		if v := c.Each[a]; !v.IsNull() {
			j.Axes[a] = goValue(v)
		}
	}
	for role, h := range c.Place {
		j.Place[role] = h.Name
	}
	for _, l := range c.Links {
		j.Links = append(j.Links, linkJSON{l.Name, l.Between, l.Rate, l.Delay, l.Jitter, l.Loss, l.Via})
	}
	if c.Workload.Pattern == drivers.Replay {
		j.Workload.Options = nil // the whole dataset
	}
	return j
}
