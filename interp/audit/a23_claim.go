package audit

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"versus/dsl"
	"versus/interp/analyze"
)

var a23 = &Check{
	ID: "A23", Title: "Claim against data",
	What:      "The text of an expectation says a number, as the claim that it checks does, and the data say another one. Its condition may be looser than its words.",
	Formula:   "A number before `times`, `x`, `fold` or `%` in the text, against the comparison in the condition (a ratio for times, a percentage for %), with the rounding of recorded values: each by half a unit of the last decimal that its metric has anywhere.",
	Tolerance: "\"about\", \"around\": 10% either way. \"almost\", \"nearly\": from 90% up to the number. \"more than\", \"at least\", \"over\", and \"up to\", \"at most\", \"less than\": one side. Otherwise within half a unit of the number's own last digit. Beyond it an error.",
	Source:    "The published test of zero copy: \"almost 40 times\", where 4.912 ms / 0.180 ms is 27.29.",
	Needs:     "it needs an expectation whose text has a number of times or percent, and whose condition has one comparison of that format",
	run: func(p *pass) {
		for _, e := range p.res.Scenario.Expectations {
			claim, ok := readClaim(e.Text)
			if !ok || len(e.Condition.Comparisons) != 1 {
				continue
			}
			c := p.res.Comparison(e.Condition.Comparisons[0])
			if c == nil || c.Comparison.Format != claim.format {
				continue
			}
			p.claims(e, c, claim)
		}
	},
}

// claim is a number in prose, with what it allows.
type claim struct {
	text      string // "almost 40 times"
	format    string // of a comparison: ratio or percent
	low, high float64
}

var claimed = regexp.MustCompile(`(?i)(?:\b(almost|nearly|about|around|approximately|roughly|more than|over|at least|up to|at most|less than|under)\s+)?(\d+(?:\.\d+)?)\s*(times\b|x\b|-?fold\b|%|percent\b)`)

// readClaim finds the number that a text claims; it has none if it has several.
func readClaim(text string) (claim, bool) {
	found := claimed.FindAllStringSubmatch(text, 2)
	if len(found) != 1 {
		return claim{}, false
	}
	m := found[0]
	x, err := strconv.ParseFloat(m[2], 64)
	if err != nil {
		return claim{}, false
	}
	c := claim{text: strings.TrimSpace(m[0]), format: "ratio"}
	_, fraction, _ := strings.Cut(m[2], ".")
	half := 0.5 * math.Pow10(-len(fraction))
	switch strings.ToLower(m[1]) {
	case "almost", "nearly":
		c.low, c.high = 0.9*x, x+half
	case "about", "around", "approximately", "roughly":
		c.low, c.high = 0.9*x, 1.1*x
	case "more than", "over", "at least":
		c.low, c.high = x-half, math.Inf(1)
	case "up to", "at most", "less than", "under":
		c.low, c.high = math.Inf(-1), x+half
	default:
		c.low, c.high = x-half, x+half
	}
	if strings.HasPrefix(m[3], "%") || strings.EqualFold(m[3], "percent") {
		c.format = "percent"
		c.low, c.high = c.low/100, c.high/100
	}
	return c, true
}

// claims holds a claim against each pair that the expectation looks at.
func (p *pass) claims(e *dsl.Expectation, c *analyze.Comparison, claim claim) {
	for _, pair := range c.Pairs {
		at := pair.Candidate
		if pair.Baseline == nil || pair.Refused != "" || pair.Value.Kind != dsl.IsNumber || !selects(p.res, e.Tests, e.Where, at) {
			continue
		}
		r := newRow(at)
		p.saw(r)
		low, high := p.rounding(c.Comparison, pair)
		if high >= claim.low && low <= claim.high {
			continue
		}
		value := pair.Value.Number
		printed := func(x float64) string {
			if claim.format == "percent" {
				return fmt.Sprintf("%.4g%%", 100*x)
			}
			return fmt.Sprintf("%.4g", x)
		}
		rounding := ""
		if printed(low) != printed(high) {
			rounding = fmt.Sprintf(", with the rounding of the values from %s to %s", printed(low), printed(high))
		}
		p.report(Error, []*row{r}, "%q claims %q, but %s is %s%s: %s.",
			e.Text, claim.text, c.Comparison.Value.Source, printed(value), rounding, arithmeticOf(c.Comparison, pair))
	}
}

// arithmeticOf writes the values that a formula is computed from.
func arithmeticOf(c *dsl.Comparison, pair *analyze.Pair) string {
	var parts []string
	for _, m := range c.Value.Metrics {
		text := fmt.Sprintf("%s.%s = %s", m.Side, m.Metric, num(sideOf(pair, m.Side).Metric(m.Metric).Number))
		if !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, ", ")
}

func sideOf(pair *analyze.Pair, side string) *analyze.Cell {
	if side == "baseline" {
		return pair.Baseline
	}
	return pair.Candidate
}

// rounding is the range of the formula's value over the rounding of recorded
// values. It takes the corners: formulas are monotone in each value so near.
func (p *pass) rounding(c *dsl.Comparison, pair *analyze.Pair) (low, high float64) {
	var refs []dsl.Ref
	for _, m := range c.Value.Metrics {
		if !slices.ContainsFunc(refs, func(r dsl.Ref) bool { return r.Side == m.Side && r.Metric == m.Metric }) {
			refs = append(refs, m)
		}
	}
	low, high = pair.Value.Number, pair.Value.Number
	const most = 8 // 256 corners
	if len(refs) > most {
		return low, high
	}
	for corner := range 1 << len(refs) {
		at := corners{values: map[string]float64{}}
		for i, m := range refs {
			cell := sideOf(pair, m.Side)
			step := p.halfUnit(cell, m.Metric)
			if corner>>i&1 == 0 {
				step = -step
			}
			at.values[m.Side+"."+m.Metric] = cell.Metric(m.Metric).Number + step
		}
		if o := p.res.Scenario.EvalResult(c.Value, pair.Candidate.Plan.Each, at); o.Kind == dsl.IsNumber {
			low, high = min(low, o.Number), max(high, o.Number)
		}
	}
	return low, high
}

// halfUnit is half a unit of the last decimal in which a recorded metric was
// written; 0 for what was measured here.
func (p *pass) halfUnit(c *analyze.Cell, name string) float64 {
	if c.Plan.Test.Pattern != "replay" {
		return 0
	}
	digits := 0
	for _, r := range p.rows {
		if r.test != c.Plan.Test.Name {
			continue
		}
		if v, ok := r.has(name); ok {
			digits = max(digits, decimals(v[0]))
		}
	}
	return 0.5 * math.Pow10(-digits)
}

// corners answers a formula with given values.
type corners struct{ values map[string]float64 }

// Metric implements dsl.Results.
func (c corners) Metric(side, name string) (float64, string) {
	v, ok := c.values[side+"."+name]
	if !ok {
		return 0, name + " is not known"
	}
	return v, ""
}

// Comparison implements dsl.Results.
func (corners) Comparison(name, _ string) (float64, string, string) {
	return 0, "", name + " can't be used inside a comparison"
}
