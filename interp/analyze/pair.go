package analyze

import (
	"slices"

	"versus/interp/plan"
)

// Side says what a cell is to a comparison.
type Side = plan.Side

// The sides of a comparison.
const (
	Outside     = plan.Outside
	IsBaseline  = plan.IsBaseline
	IsCandidate = plan.IsCandidate
)

// Differs names the axes on which cells differ, in the order of writing.
func Differs(cells []*Cell) []string {
	var axes []string
	seen := map[string]bool{}
	for _, c := range cells {
		for _, a := range c.Plan.Axes {
			if !seen[a] && slices.ContainsFunc(cells, func(o *Cell) bool { return !sameValue(c, o, a) }) {
				axes = append(axes, a)
			}
			seen[a] = true
		}
	}
	if slices.ContainsFunc(cells, func(o *Cell) bool { return o.Plan.Test != cells[0].Plan.Test }) {
		axes = append(axes, "test")
	}
	return axes
}

func sameValue(a, b *Cell, axis string) bool {
	x, okX := a.Plan.Axis(axis)
	y, okY := b.Plan.Axis(axis)
	return okX == okY && (!okX || x.RawEquals(y))
}
