package lint

import (
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"versus/dsl"
	"versus/stdlib/metric"
)

// reading is what the value of a comparison says of its candidate.
type reading int

const (
	noReading reading = iota
	speedup           // how many times as good, or that less 1
	saving            // what share of the baseline is gone
	growth            // how much more the candidate takes than the baseline
)

// read says what a formula over one metric of both sides says of the
// candidate: (b - c)/c is a speedup for a time, and
// (b - c)/b a saving. For the better candidate, the first value of a speedup is
// the baseline's if less is better, and else the candidate's.
func (s shape) read() reading {
	if !s.relative() || !s.oneMetric() {
		return noReading
	}
	better := map[metric.Direction]string{metric.Lower: "baseline", metric.Higher: "candidate"}[s.p.metric.Better]
	switch {
	case better == "":
		return noReading
	case s.form == share && s.p.side == "candidate":
		return saving
	case s.form == share:
		return noReading
	case s.p.side == better:
		return speedup
	}
	return growth
}

// String says the reading in prose.
func (r reading) String() string {
	return [...]string{"", "a speedup", "a reduction", "an increase"}[r]
}

// Words of prose, by what they claim.
var (
	saysFaster  = regexp.MustCompile(`(?i)\b(speed[- ]?ups?|faster|quicker)\b`)
	saysSaving  = regexp.MustCompile(`(?i)\b(reductions?|reduced|savings?|saved|decreased?)\b`)
	saysGrowth  = regexp.MustCompile(`(?i)\b(overheads?|slow[- ]?downs?|slower)\b`)
	saysLoss    = regexp.MustCompile(`(?i)\b(loss|lost|drops?|dropped|less|fewer|lower|worse|penalty|costs?|degradation)\b`)
	saysBetter  = regexp.MustCompile(`(?i)\b(better|worse|wins?|beats?|outperforms?|significant(ly)?|higher|lower)\b`)
	versusWords = regexp.MustCompile(`(?i)\b(vs|versus|over|than|against|to)\b`)

	saysAnything = regexp.MustCompile(strings.Join([]string{saysFaster.String(), saysSaving.String(), saysGrowth.String(), saysLoss.String(), saysBetter.String()}, "|"))
)

// claims are the readings that a text names.
func (t prose) claims() []reading {
	var list []reading
	for _, c := range []struct {
		words *regexp.Regexp
		what  reading
	}{{saysFaster, speedup}, {saysSaving, saving}, {saysGrowth, growth}} {
		if t.has(c.words) {
			list = append(list, c.what)
		}
	}
	return list
}

// aboutBaseline reports whether a text says how much better or worse the
// baseline is, as "gRPC faster by" does where the baseline is gRPC: it begins
// with its name, and claims something of it, and not of its opponent.
func aboutBaseline(c *dsl.Comparison, t prose) bool {
	words := strings.ToLower(strings.ReplaceAll(t.words, "_", " "))
	claim := saysAnything.FindStringIndex(words)
	if claim == nil || versusWords.MatchString(words[:claim[0]]) {
		return false
	}
	for _, s := range c.Baseline {
		for _, v := range s.Values {
			for _, name := range calledBy(v) {
				rest, found := strings.CutPrefix(words, strings.ToLower(strings.ReplaceAll(name, "_", " ")))
				if found && name != "" && strings.HasPrefix(rest, " ") {
					return true
				}
			}
		}
	}
	return false
}

// aboutBaseline reports whether some text of a comparison speaks of the baseline.
func (p *Pass) aboutBaseline(c *dsl.Comparison) bool {
	return slices.ContainsFunc(p.texts(c.Name), func(t prose) bool { return aboutBaseline(c, t) })
}

// calledBy lists what an axis value may be called in prose.
func calledBy(v cty.Value) []string {
	v, _ = v.Unmark()
	list := []string{dsl.Label(v)}
	if name, ok := dsl.BackendName(v); ok {
		list = append(list, name)
	}
	if name, ok := dsl.HostName(v); ok {
		list = append(list, name)
	}
	return list
}

// attrName is the name in a step of a reference, empty if it is an index.
func attrName(step hcl.Traverser) string {
	if a, ok := step.(hcl.TraverseAttr); ok {
		return a.Name
	}
	return ""
}
