package audit

import (
	"fmt"
	"slices"
	"strings"

	"versus/dsl"
)

var a24 = &Check{
	ID: "A24", Title: "Identical on two platforms",
	What:      "The same measurement on two platforms has the same value to the last digit. Different machines don't agree like that, unless something else than the machine decides, such as the speed of a link: or the value was measured once and printed twice.",
	Formula:   "Equal values of a metric, other than 0 and with 3 significant digits or more, in cells that differ in nothing but an axis named platform, system, os, machine or host.",
	Tolerance: "Exact equality (12 significant digits): a warning.",
	Source:    "The comparison of Ice and TAO (2005): both rows over a slow link have the same figures on Linux and on Windows XP.",
	Needs:     "it needs an axis platform, system, os, machine or host",
	run: func(p *pass) {
		for _, g := range groups(p.rows, func(r *row) string {
			if platform(r) == "" {
				return ""
			}
			key := []string{r.test, r.backend}
			for _, axis := range r.cell.Plan.Axes {
				if v, ok := r.cell.Plan.Axis(axis); ok && !slices.Contains(platforms, axis) {
					key = append(key, fmt.Sprintf("%s=%x", axis, v.Hash()))
				}
			}
			return strings.Join(key, "\x00")
		}) {
			p.saw(g...)
			for i, a := range g {
				for _, b := range g[i+1:] {
					p.identical(a, b)
				}
			}
		}
	},
}

var platforms = []string{"platform", "system", "os", "machine", "host"}

// platform is what the row says of the machine, "" if nothing.
func platform(r *row) string {
	for _, axis := range platforms {
		if v, ok := r.cell.Plan.Axis(axis); ok && slices.Contains(r.cell.Plan.Axes, axis) {
			return dsl.Label(v)
		}
	}
	return ""
}

func (p *pass) identical(a, b *row) {
	if platform(a) == platform(b) {
		return
	}
	theirs := comparable(b)
	var same []string
	for _, v := range comparable(a) {
		if slices.Contains(theirs, v) {
			same = append(same, v)
		}
	}
	if len(same) > 0 {
		p.report(Warning, []*row{a, b}, "%s on %s and on %s.", strings.Join(shown(a, same), ", "), platform(a), platform(b))
	}
}
