package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"versus/dsl"
	"versus/interp/analyze"
	"versus/stdlib/stats"
)

// Paragraph is a part of the summary in words.
type Paragraph struct {
	Title string
	Lines []string
}

// sentencesPerComparison is how many pairs of a comparison the summary says one
// by one; of more, it says how often each system came out how.
const sentencesPerComparison = 8

// summary says in words what came out: the runs, and each comparison.
func (b builder) summary() []Paragraph {
	out := []Paragraph{{Lines: []string{b.runsInWords()}}}
	for _, c := range b.res.Comparisons {
		if len(c.Pairs) > 0 {
			out = append(out, b.comparisonInWords(c))
		}
	}
	return out
}

func (b builder) runsInWords() string {
	type tally struct{ valid, runs, cells int }
	var measured, recorded tally
	for _, c := range b.res.Cells {
		t := &measured
		if c.Plan.Test.Pattern == "replay" {
			t = &recorded
		}
		valid, runs := counts(c)
		*t = tally{t.valid + valid, t.runs + runs, t.cells + 1}
	}
	var parts []string
	if measured.cells > 0 || recorded.cells == 0 {
		parts = append(parts, fmt.Sprintf("%d of %s valid, in %s.", measured.valid, plural(measured.runs, "run is", "runs are"), plural(measured.cells, "cell", "cells")))
	}
	if recorded.cells > 0 {
		text := fmt.Sprintf("The values of %s were recorded elsewhere, and not measured here", plural(recorded.cells, "cell", "cells"))
		if recorded.valid < recorded.runs {
			text += fmt.Sprintf("; %d of %s valid", recorded.valid, plural(recorded.runs, "is", "are"))
		}
		parts = append(parts, text+".")
	}
	return strings.Join(parts, " ")
}

func counts(c *analyze.Cell) (valid, all int) {
	valid = len(c.Valid)
	return valid, valid + len(c.Invalid) + len(c.Failed) + len(c.Skipped) + c.Absent
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func (b builder) comparisonInWords(c *analyze.Comparison) Paragraph {
	var cells []*analyze.Cell
	for _, p := range c.Pairs {
		cells = append(cells, p.Candidate)
	}
	w := wording{family: analyze.NewFamily(c.Pairs), sides: sideAxes(c.Comparison)}
	for _, axis := range analyze.Differs(cells) {
		if !slices.Contains(w.sides, axis) {
			w.others = append(w.others, axis)
		}
	}
	p := Paragraph{Title: c.Comparison.Title}
	if c.Metric != nil {
		p.Title += ", by " + c.Metric.Name
	}
	single := !slices.ContainsFunc(c.Pairs, func(p *analyze.Pair) bool { return !p.Single() })
	if c.Metric != nil && !single { // tables may show means of the runs kept
		p.Title += " over all valid runs"
	}
	if len(c.Pairs) > sentencesPerComparison {
		p.Lines = w.grouped(c.Pairs)
	} else {
		for _, pair := range c.Pairs {
			p.Lines = append(p.Lines, w.sentence(pair))
		}
	}
	if single {
		p.Lines = append(p.Lines, "One run a side: nothing is known of the noise, and there is no verdict.")
	}
	if n := w.family.Size(); n > 1 {
		p.Lines = append(p.Lines, fmt.Sprintf("Verdicts hold for these %d pairs together (Holm), which may be more than those of one table.", n))
	}
	return p
}

// sideAxes are the axes on which the sides of a comparison differ by its definition.
func sideAxes(c *dsl.Comparison) []string {
	var axes []string
	for _, s := range [][]dsl.SelectorAxis{c.Baseline, c.Candidate} {
		for _, a := range s {
			if !slices.Contains(axes, a.Axis) {
				axes = append(axes, a.Axis)
			}
		}
	}
	return axes
}

// wording is how the pairs of a comparison are named.
type wording struct {
	family        *analyze.Family
	sides, others []string // axes
}

func (w wording) side(c *analyze.Cell) string {
	if c == nil {
		return "nothing"
	}
	var parts []string
	for _, a := range w.sides {
		parts = append(parts, axisLabel(c, a))
	}
	return strings.Join(parts, " ")
}

// at says where a pair was compared: " at payload 512, topics 1".
func (w wording) at(c *analyze.Cell) string {
	var parts []string
	test := ""
	for _, a := range w.others {
		if a == "test" {
			test = " in " + axisLabel(c, a)
			continue
		}
		parts = append(parts, a+" "+axisLabel(c, a))
	}
	if len(parts) == 0 {
		return test
	}
	return " at " + strings.Join(parts, ", ") + test
}

func axisLabel(c *analyze.Cell, axis string) string {
	if axis == "test" {
		return orElse(c.Plan.Test.Title, c.Plan.Test.Name)
	}
	if v, ok := c.Plan.Each[axis]; ok {
		return dsl.Label(v)
	}
	return "-"
}

// sentence says what came out of a pair.
func (w wording) sentence(p *analyze.Pair) string {
	who := fmt.Sprintf("%s against %s%s", w.side(p.Candidate), w.side(p.Baseline), w.at(p.Candidate))
	switch {
	case p.Refused != "":
		return fmt.Sprintf("%s: not compared, since %s.", who, p.Refused)
	case p.NoTest != "" && p.Value.Kind == dsl.IsNumber:
		return fmt.Sprintf("%s: %s, without a verdict: %s.", who, style{format: p.Comparison.Comparison.Format, decimals: -1}.print(p.Value.Number), p.NoTest)
	case p.NoTest != "":
		return fmt.Sprintf("%s: %s.", who, p.NoTest)
	}
	verdict := w.family.Verdict(p)
	r := worded(p)
	switch {
	case analyze.Better(verdict), analyze.Worse(verdict):
		return fmt.Sprintf("%s is %s %s as %s%s (%s), %s.", w.side(p.Candidate), r.times, r.word, w.side(p.Baseline), w.at(p.Candidate), r.interval, validRuns(p))
	case verdict == stats.NoDifference:
		return fmt.Sprintf("%s and %s%s: no difference is shown (%s came out %s%s), %s.", w.side(p.Candidate), w.side(p.Baseline), w.at(p.Candidate), w.side(p.Candidate), r.came(), r.span(), validRuns(p))
	}
	text := fmt.Sprintf("%s came out %s %s as %s%s", w.side(p.Candidate), r.times, r.word, w.side(p.Baseline), w.at(p.Candidate))
	if r.alike() {
		text = fmt.Sprintf("%s and %s came out alike%s", w.side(p.Candidate), w.side(p.Baseline), w.at(p.Candidate))
	}
	if p.Single() {
		return text + "."
	}
	return text + ", without a verdict: " + orElse(p.NoVerdict(), string(verdict)) + "."
}

// ratioWords is a ratio as a sentence says it: at least 1, with its direction.
type ratioWords struct {
	times, interval string
	word            string // "times as fast"
	// opposite is the end of the interval on the other side of 1, as a ratio
	// above 1 with the word for it; empty if the interval excludes 1.
	opposite, top string
}

// asWord is "times as fast" for "faster": a ratio of 1.5 is 1.5 times as fast, and
// "1.5 times faster" might be 2.5 (rule K04 of the linter).
func asWord(word string) string {
	if as, ok := map[string]string{"faster": "fast", "slower": "slow", "better": "good", "worse": "bad", "higher": "high", "lower": "low"}[word]; ok {
		word = as
	}
	return "times as " + word
}

// alike says that the ratio prints as 1: "1.0 times as slow" is nonsense.
func (r ratioWords) alike() bool { return strings.TrimRight(r.times, "0") == "1." || r.times == "1" }

func (r ratioWords) came() string {
	if r.alike() {
		return "alike"
	}
	return r.times + " " + r.word
}

// span is the interval in words, where there is one.
func (r ratioWords) span() string {
	switch {
	case r.interval == "":
		return ""
	case r.opposite == "":
		return ", " + r.interval
	}
	return fmt.Sprintf("; it may be anything from %s to %s %s", r.opposite, r.top, r.word)
}

func worded(p *analyze.Pair) ratioWords {
	ratio, low, high := p.Ratio.Estimate, p.Ratio.Low, p.Ratio.High
	verdict, other := stats.Faster, stats.Slower
	if ratio < 1 {
		ratio, low, high, verdict, other = 1/ratio, 1/high, 1/low, stats.Slower, stats.Faster
	}
	w := ratioWords{word: asWord(p.Words(verdict))}
	if p.Ratio.Level == 0 {
		w.times = fixed(ratio, decimals(ratio, 3))
		return w
	}
	digits := intervalDigits(low, high)
	w.times = fixed(ratio, digits)
	w.interval = fixed(low, digits) + " to " + fixed(high, digits)
	if low < 1 {
		w.opposite = fixed(1/low, digits) + " " + asWord(p.Words(other))
		w.top = fixed(high, digits)
	}
	return w
}

// validRuns says on how many runs a pair rests.
func validRuns(p *analyze.Pair) string {
	v1, n1 := counts(p.Candidate)
	v2, n2 := counts(p.Baseline)
	if v1 == v2 && n1 == n2 {
		return fmt.Sprintf("%d of %s valid on each side", v1, plural(n1, "run", "runs"))
	}
	return fmt.Sprintf("%d of %d and %d of %d runs valid", v1, n1, v2, n2)
}

// tally is how often something came out, and between which ratios.
type tally struct {
	what      string
	n         int
	low, high float64
}

// grouped says of each candidate and baseline how often which verdict came out.
func (w wording) grouped(pairs []*analyze.Pair) []string {
	var order []string
	found := map[string][]*tally{}
	for _, p := range pairs {
		who := w.side(p.Candidate) + " against " + w.side(p.Baseline)
		if found[who] == nil {
			order = append(order, who)
		}
		what, ratio := w.outcome(p)
		i := slices.IndexFunc(found[who], func(t *tally) bool { return t.what == what })
		if i < 0 {
			i = len(found[who])
			found[who] = append(found[who], &tally{what: what, low: math.Inf(1)})
		}
		t := found[who][i]
		t.n++
		t.low, t.high = min(t.low, ratio), max(t.high, ratio)
	}
	var lines []string
	for _, who := range order {
		total := 0
		var parts []string
		for _, t := range found[who] {
			total += t.n
			text := fmt.Sprintf("%s in %d", t.what, t.n)
			if t.high > 0 {
				low, high := fixed(t.low, decimals(t.low, 3)), fixed(t.high, decimals(t.high, 3))
				if low == high {
					text += fmt.Sprintf(" (%s times)", low)
				} else {
					text += fmt.Sprintf(" (%s to %s times)", low, high)
				}
			}
			parts = append(parts, text)
		}
		lines = append(lines, fmt.Sprintf("%s, %s: %s.", who, plural(total, "cell", "cells"), strings.Join(parts, ", ")))
	}
	return lines
}

// outcome is what came out of a pair in a word or two, and how many times, if
// that is to be said.
func (w wording) outcome(p *analyze.Pair) (what string, times float64) {
	if p.Refused != "" || p.NoTest != "" {
		return "not compared", 0
	}
	verdict := w.family.Verdict(p)
	times = math.Max(p.Ratio.Estimate, 1/p.Ratio.Estimate)
	switch {
	case analyze.Better(verdict), analyze.Worse(verdict):
		return p.Words(verdict), times
	case p.Single():
		return "came out " + p.Words(map[bool]stats.Verdict{true: stats.Faster, false: stats.Slower}[p.Ratio.Estimate >= 1]), times
	}
	return orElse(p.Words(verdict), "without a verdict"), 0
}
