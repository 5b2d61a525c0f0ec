package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"versus/dsl"
)

// Side says what a cell is to a comparison.
type Side int

// The sides of a comparison.
const (
	Outside Side = iota // the comparison does not concern the cell
	IsBaseline
	IsCandidate
)

// SideOf returns what a cell is to a comparison. A cell that both selectors
// pick is a baseline.
func SideOf(c *dsl.Comparison, cell *Cell) Side {
	if len(c.Tests) > 0 && !slices.Contains(c.Tests, cell.Test.Name) {
		return Outside
	}
	if selects(c.Baseline, cell) {
		return IsBaseline
	}
	if len(c.Candidate) > 0 {
		if selects(c.Candidate, cell) {
			return IsCandidate
		}
		return Outside
	}
	for _, s := range c.Baseline { // every other value, where the axis exists
		if _, ok := cell.Axis(s.Axis); !ok {
			return Outside
		}
	}
	return IsCandidate
}

func selects(s dsl.Selector, cell *Cell) bool {
	if len(s) == 0 {
		return false
	}
	for _, axis := range s {
		v, ok := cell.Axis(axis.Axis)
		if !ok || !slices.ContainsFunc(axis.Values, v.RawEquals) {
			return false
		}
	}
	return true
}

// Pairing finds the baseline of each candidate: the cell that agrees with it
// on every axis that the selectors don't name.
type Pairing struct {
	c         *dsl.Comparison
	named     map[string]bool // axes in the selectors
	baselines map[string][]*Cell
}

// NewPairing sorts the baselines among the cells. Of few cells it knows few baselines:
// give it all that the comparison may pair.
func NewPairing(c *dsl.Comparison, cells []*Cell) *Pairing {
	p := &Pairing{c: c, named: map[string]bool{}, baselines: map[string][]*Cell{}}
	for _, s := range slices.Concat(c.Baseline, c.Candidate) {
		p.named[s.Axis] = true
	}
	for _, cell := range cells {
		if SideOf(c, cell) == IsBaseline {
			k := p.bucket(cell)
			p.baselines[k] = append(p.baselines[k], cell)
		}
	}
	return p
}

// others are the axes of a cell on which its partner must agree.
func (p *Pairing) others(cell *Cell) []string {
	var axes []string
	for _, a := range cell.Axes {
		if _, ok := cell.Axis(a); ok && !p.named[a] {
			axes = append(axes, a)
		}
	}
	return axes
}

// bucket is equal for cells that may pair.
func (p *Pairing) bucket(cell *Cell) string {
	var b strings.Builder
	if !p.named["test"] {
		fmt.Fprintf(&b, "%s\x00", cell.Test.Name)
	}
	axes := p.others(cell)
	slices.Sort(axes)
	for _, a := range axes {
		fmt.Fprintf(&b, "%s=%x\x00", a, cell.Each[a].Hash())
	}
	return b.String()
}

// agree says whether two cells agree on every axis that is not named.
func (p *Pairing) agree(a, b *Cell) bool {
	x, y := p.others(a), p.others(b)
	if len(x) != len(y) {
		return false
	}
	for _, axis := range x {
		if !slices.Contains(y, axis) || !a.Each[axis].RawEquals(b.Each[axis]) {
			return false
		}
	}
	return true
}

// BaselineOf returns the partner of a candidate, or why there is none, or why
// the two must not be compared.
func (p *Pairing) BaselineOf(cell *Cell) (*Cell, string) {
	var found []*Cell
	for _, b := range p.baselines[p.bucket(cell)] {
		if p.agree(b, cell) {
			found = append(found, b)
		}
	}
	switch len(found) {
	case 0:
		return nil, "no baseline agrees on the other axes"
	case 1:
		return found[0], p.refusal(found[0], cell)
	}
	return nil, fmt.Sprintf("%d baselines agree on the other axes; name the one that is meant in the comparison's baseline", len(found))
}

// Baselines calls visit for every baseline, in no particular order.
func (p *Pairing) Baselines(visit func(*Cell)) {
	for _, list := range p.baselines {
		for _, b := range list {
			visit(b)
		}
	}
}

// Named reports whether a selector of the comparison names the axis.
func (p *Pairing) Named(axis string) bool { return p.named[axis] }

// refusal says why two cells must not be compared, or "".
func (p *Pairing) refusal(b, c *Cell) string {
	meant := func(what string) bool { return slices.Contains(p.c.Across, what) }
	if d := methodologyDifference(b.Test.Methodology, c.Test.Methodology); d != "" && !meant("methodology") {
		return "the two sides were measured under different methodologies (" + d + ")"
	}
	if openLoop(b) != openLoop(c) && !meant("load") {
		return "one side is an open loop and the other a closed one"
	}
	if why := unlike(p.c.Value, b, c); why != "" {
		return why
	}
	if !p.named["host"] && !meant("host") && !maps.Equal(placeNames(b), placeNames(c)) {
		return "the two sides ran on different hosts"
	}
	return ""
}

func openLoop(c *Cell) bool { return c.Workload.Rate > 0 }

func placeNames(c *Cell) map[string]string {
	names := map[string]string{}
	for role, h := range c.Place {
		if h != nil {
			names[role] = h.Kind + " " + h.Name
		}
	}
	return names
}

// methodologyDifference names the first thing in which two methodologies differ.
func methodologyDifference(a, b *dsl.Methodology) string {
	if a == b {
		return ""
	}
	if a == nil || b == nil {
		return "one side has none"
	}
	source := func(e *dsl.Expr) string {
		if e == nil {
			return ""
		}
		return e.Source
	}
	for _, d := range []struct {
		name string
		same bool
	}{
		{"warm-up", a.Warmup == b.Warmup},
		{"measurement", a.Measure == b.Measure},
		{"number of runs", a.Runs == b.Runs && sameUntil(a.Until, b.Until)},
		{"keep rule", source(a.Keep.Best) == source(b.Keep.Best) && a.Keep.Trimmed == b.Keep.Trimmed && a.Keep.By == b.Keep.By},
		{"gate", maps.Equal(a.Gate, b.Gate)},
		{"order of runs", a.Order == b.Order},
		{"pause", a.Pause == b.Pause},
		{"drain", a.Drain == b.Drain},
	} {
		if !d.same {
			return d.name
		}
	}
	return ""
}

func sameUntil(a, b *dsl.Until) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// Axis is the value of an axis; ok is false if the cell doesn't have it.
func (c *Cell) Axis(name string) (v cty.Value, ok bool) {
	v, ok = c.Each[name]
	return v, ok && !v.IsNull()
}
