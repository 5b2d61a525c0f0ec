package analyze

import (
	"slices"
	"strings"

	"versus/dsl"
	"versus/interp/plan"
	"versus/stdlib/metric"
	"versus/stdlib/stats"
)

// Comparison is a comparison of the scenario with all its pairs.
type Comparison struct {
	Comparison *dsl.Comparison
	// Pairs has one entry a candidate, in the order of the plan.
	Pairs []*Pair
	// Metric is the one metric that the formula is over, which decides the
	// words of a verdict; nil if there are several, and then no verdict.
	Metric *metric.Metric

	// Noise is what the second measurements of its baselines show; nil if none
	// of them was asked for.
	Noise *Noise

	byCandidate map[*Cell]*Pair
	baselines   map[*Cell]int // how many candidates each has
}

// Pair is a candidate and its baseline.
type Pair struct {
	Comparison          *Comparison
	Baseline, Candidate *Cell // Baseline is nil if there is none
	// Refused says why the two can't be compared; then nothing below is set.
	Refused string
	// Value is the formula's value, computed from the values of the cells.
	Value dsl.Outcome
	// Interval holds the value with the comparison's confidence: a percentile
	// bootstrap over the runs of both sides (Efron 1979), in which each
	// resample selects its kept runs again. It is approximate.
	Interval Interval
	// NoInterval says why there is none.
	NoInterval string
	Resamples  int // behind the interval
	// Null is the formula's value for two equal sides, where HasNull.
	Null    float64
	HasNull bool
	Test
}

// Interval is a range of plausible values.
type Interval struct{ Low, High float64 }

// compare pairs the cells and compares each pair.
func compare(s *dsl.Scenario, c *dsl.Comparison, cells []*Cell) *Comparison {
	res := &Comparison{Comparison: c, Metric: onlyMetric(c.Value), byCandidate: map[*Cell]*Pair{}, baselines: map[*Cell]int{}}
	planned, of := make([]*plan.Cell, len(cells)), make(map[*plan.Cell]*Cell, len(cells))
	for i, cell := range cells {
		planned[i], of[cell.Plan] = cell.Plan, cell
	}
	pairs := plan.NewPairing(c, planned)
	for _, cell := range cells {
		if plan.SideOf(c, cell.Plan) != IsCandidate {
			continue
		}
		p := &Pair{Comparison: res, Candidate: cell}
		baseline, refused := pairs.BaselineOf(cell.Plan)
		p.Baseline, p.Refused = of[baseline], refused
		if p.Baseline != nil {
			res.baselines[p.Baseline]++
		}
		res.Pairs = append(res.Pairs, p)
		res.byCandidate[cell] = p
	}
	pairs.Baselines(func(b *plan.Cell) {
		res.baselines[of[b]] += 0 // known, even without a candidate
	})
	res.evaluate(s)
	res.Noise = res.noise()
	return res
}

// evaluate computes the value, the test and the interval of each pair. Each
// pair has a stream of random numbers of its own, so that one pair more or
// less does not change the others' intervals.
func (c *Comparison) evaluate(s *dsl.Scenario) {
	var formula *dsl.Formula
	if f, ok := s.Compile(c.Comparison.Value); ok {
		formula = &f
	}
	for _, p := range c.Pairs {
		if p.Refused != "" {
			continue
		}
		p.Value = s.EvalResult(c.Comparison.Value, p.Candidate.Plan.Each, sides{baseline: p.Baseline, candidate: p.Candidate})
		p.Test = c.test(p)
		r, why := newResampler(s, c.Comparison, p, formula)
		if why != "" {
			p.NoInterval = why
			continue
		}
		p.resample(r, uint64(p.Candidate.Plan.Index))
	}
}

// onlyMetric returns the metric of a formula that has one on both sides.
func onlyMetric(e *dsl.Expr) *metric.Metric {
	name, sides := "", map[string]bool{}
	for _, r := range e.Metrics {
		if name != "" && r.Metric != name {
			return nil
		}
		name = r.Metric
		sides[r.Side] = true
	}
	if !sides["baseline"] || !sides["candidate"] {
		return nil
	}
	m, ok := metric.Lookup(name)
	if !ok {
		return nil
	}
	return &m
}

// Side says what a cell is to the comparison.
func (c *Comparison) Side(cell *Cell) Side {
	if _, ok := c.byCandidate[cell]; ok {
		return IsCandidate
	}
	if _, ok := c.baselines[cell]; ok {
		return IsBaseline
	}
	return Outside
}

// Candidates is the number of candidates that a baseline has.
func (c *Comparison) Candidates(baseline *Cell) int { return c.baselines[baseline] }

// At returns the pair whose candidate the cell is, or why there is none.
func (c *Comparison) At(cell *Cell) (*Pair, string) {
	if p, ok := c.byCandidate[cell]; ok {
		return p, ""
	}
	name := c.Comparison.Name
	if n, ok := c.baselines[cell]; ok && n > 0 {
		return nil, "this is the baseline of " + name
	} else if ok {
		return nil, name + ": the baseline has no candidate"
	}
	return nil, name + " does not compare this"
}

// missing says why the pair has no value, or "".
func (p *Pair) missing() string {
	switch {
	case p.Refused != "":
		return p.Refused
	case p.Value.Kind == dsl.IsMissing, p.Value.Kind == dsl.IsUndefined:
		return p.Value.Why
	case p.Value.Kind != dsl.IsNumber:
		return "the formula of " + p.Comparison.Comparison.Name + " is not a number"
	}
	return ""
}

// Outcome is the value of the pair as a table shows it.
func (p *Pair) Outcome() dsl.Outcome {
	if why := p.missing(); why != "" && p.Value.Kind != dsl.IsUndefined {
		return dsl.Outcome{Kind: dsl.IsMissing, Why: why}
	}
	return p.Value
}

// Single says that neither side has more than one run: nothing can be said of
// noise, and a single remark for a whole table says so.
func (p *Pair) Single() bool {
	return p.Baseline != nil && len(p.Baseline.Valid) <= 1 && len(p.Candidate.Valid) <= 1
}

// Warnings are what to know of the metrics behind the pair's value.
func (p *Pair) Warnings() []string {
	var out []string
	for _, ref := range p.Comparison.Comparison.Value.Metrics {
		cell := p.Candidate
		if ref.Side == "baseline" {
			cell = p.Baseline
		}
		if cell == nil {
			continue
		}
		if w := cell.Metric(ref.Metric).Warning; w != "" && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// Words says a verdict in the words that fit the metric: faster and slower for
// times and rates, better and worse for other qualities.
func (p *Pair) Words(v stats.Verdict) string { return words(p.Comparison.Metric, v) }

// Words says a verdict in the words that fit the metric of the change.
func (c *Change) Words() string { return words(&c.Metric, c.Verdict) }

// words says a verdict: faster and slower of times and rates, else better and
// worse. A nil metric is of no kind.
func words(m *metric.Metric, v stats.Verdict) string {
	better, worse := "better", "worse"
	switch {
	case m == nil:
	case m.Better == metric.Neither:
		better, worse = "higher", "lower"
	case slices.Contains([]string{"s", "1/s", "B/s"}, m.Unit) && !strings.HasPrefix(m.Name, "cpu."):
		better, worse = "faster", "slower"
	}
	switch {
	case Better(v):
		return better
	case Worse(v):
		return worse
	}
	return string(v)
}
