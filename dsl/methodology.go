package dsl

import (
	"slices"
	"strings"

	"versus/dsl/schema"
	"versus/stdlib/metric"
)

// methodologyOf merges what a test says of its own, the methodology that it
// names, and the defaults, in this order.
func (l *loader) methodologyOf(n, defaults *node) *Methodology {
	chain := []*node{n}
	name := l.methodologyName(n)
	complete := n.labels[0] != "replay"
	if m := l.named("methodology", name); m != nil {
		chain = append(chain, m)
	} else if n.attr("methodology") != nil {
		complete = false // refused already, and with it all that it would say
	}
	if defaults != nil {
		chain = append(chain, defaults)
		if def := l.methodologyName(defaults); name == "" && def != "" {
			name = def
			if m := l.named("methodology", name); m != nil {
				chain = append(chain, m)
			}
		} else if name == "" && defaults.attr("methodology") != nil {
			complete = false
		}
	}
	for _, c := range chain {
		complete = complete && !c.stub && !slices.Contains(c.meant, "measure")
	}
	return l.methodology(name, chain, complete)
}

func (l *loader) methodologyName(n *node) string {
	if n.attr("methodology") == nil {
		return ""
	}
	return l.str(n, "methodology")
}

func (l *loader) named(kind, name string) *node {
	for _, n := range l.nodes {
		if n.spec.Type == kind && n.name() == name && name != "" {
			return n
		}
	}
	return nil
}

// methodology builds one from the blocks of a chain of nodes: the first that
// has a block says what it holds.
func (l *loader) methodology(name string, chain []*node, complete bool) *Methodology {
	find := func(kind string) *node {
		for _, n := range chain {
			if b := n.block(kind); b != nil {
				return b
			}
		}
		return nil
	}
	// Order, seed and the like have one home: the methodology block.
	own := &node{spec: &methodologyBlock}
	for _, n := range chain {
		if n.spec.Type == "methodology" {
			own = n
			break
		}
	}
	m := &Methodology{Name: name, Runs: 1, Order: l.str(own, "order"), Seed: int64(l.num(own, "seed")),
		Pause: l.num(own, "pause"), Timeout: l.num(own, "timeout"), Drain: l.num(own, "drain"), Range: chain[0].rng}
	m.NoiseFloor = l.boolean(own, "noise_floor")
	m.Warmup = l.extent(find("warmup"))
	measure := find("measure")
	m.Measure = l.extent(measure)
	if complete && measure == nil {
		rng := chain[0].rng
		l.fail(&rng, "No measurement", "Say how long %s is measured: measure { duration = \"5s\" }, or measure { calls = 100000 }, here or in its methodology.", chain[0].address())
	} else if measure != nil && m.Measure == (Extent{}) && len(measure.attrs) > 0 && !l.diags.HasErrors() {
		l.fail(&measure.rng, "Invalid measurement", "A measurement can't be empty.")
	}
	if complete {
		m.Runs = defaultRuns
	}
	l.repetition(m, chain)
	if b := find("keep"); b != nil {
		m.Keep = l.keep(b)
	}
	if b := find("gate"); b != nil {
		m.Gate = l.gate(b)
	}
	return m
}

// repetition reads how often a cell is measured: repeat or until, of the first
// in the chain that has one of them.
func (l *loader) repetition(m *Methodology, chain []*node) {
	for _, n := range chain {
		repeat, until := n.block("repeat"), n.block("until")
		switch {
		case repeat != nil && until != nil:
			l.fail(&until.rng, "Two stop rules", "Write repeat for a fixed number of runs, or until, whose max is the largest number; not both.")
		case repeat != nil:
			m.Runs = max(1, int(l.num(repeat, "runs")))
		case until != nil:
			m.Until = &Until{RelativeInterval: l.num(until, "relative_interval"), Min: int(l.num(until, "min")), Max: int(l.num(until, "max"))}
			m.Runs = max(1, m.Until.Max)
			if m.Until.Max < m.Until.Min && until.attr("max") != nil && !l.diags.HasErrors() {
				l.fail(&until.rng, "Invalid until", "max is %d, below min, which is %d.", m.Until.Max, m.Until.Min)
			}
		default:
			continue
		}
		return
	}
}

// gate reads the limits beyond which a run does not count.
func (l *loader) gate(n *node) map[string]float64 {
	gate := map[string]float64{}
	for _, a := range n.attrs {
		switch v := l.get(n, a.name).(type) {
		case float64:
			gate[a.name] = v
		case bool:
			if !v {
				gate[a.name] = 0
			}
		}
	}
	if len(n.attrs) == 0 {
		l.fail(&n.rng, "Empty gate", "A gate needs a limit, such as rate_error = 0.01.")
	}
	return gate
}

// defaultRuns is how often a cell is measured if nothing says so: the fewest
// runs with which a 95% interval of the median exists.
const defaultRuns = 6

func (l *loader) extent(n *node) Extent {
	if n == nil {
		return Extent{}
	}
	if len(n.attrs) == 0 && len(n.meant) > 0 {
		return Extent{} // misspelled, which was said
	}
	if len(n.attrs) != 1 {
		rng := n.rng
		l.fail(&rng, "Invalid "+n.spec.Type, "Write exactly one of duration, calls and messages.")
		return Extent{}
	}
	if n.attrs[0].name == "duration" {
		return Extent{Seconds: l.num(n, "duration")}
	}
	return Extent{Calls: int64(l.num(n, n.attrs[0].name))}
}

func (l *loader) keep(n *node) Keep {
	var k Keep
	misspelled := slices.Contains(n.meant, "best") || slices.Contains(n.meant, "trimmed")
	if (n.attr("best") == nil) == (n.attr("trimmed") == nil) && !misspelled {
		l.fail(&n.rng, "Invalid keep", "Write exactly one of best and trimmed, such as best = n / 2 or trimmed = 0.1.")
	}
	if n.attr("trimmed") != nil {
		k.Trimmed = l.num(n, "trimmed")
	}
	if a := n.attr("best"); a != nil {
		k.Best = l.expr(a, where{time: schema.Result, runs: true, metrics: true})
		if len(k.Best.Metrics) > 0 {
			rng := k.Best.Range()
			l.fail(&rng, "Invalid value of best", "How many runs count depends on n alone; `by` names the metric.")
		}
	}
	if a := n.attr("by"); a != nil {
		e := l.expr(a, where{time: schema.Result, metrics: true})
		if len(e.Metrics) == 1 && e.Metrics[0].Metric == strings.TrimSpace(e.Source) {
			k.By = e.Metrics[0].Metric
			if m, _ := metric.Lookup(k.By); m.Combine != metric.MeanOfKept {
				l.fail(&e.Metrics[0].Range, "Invalid value of by", "%s comes from all valid runs, so that it can't pick some of them. Use a mean, time_per_call or throughput.rate.", k.By)
			}
		} else if !l.diags.HasErrors() {
			rng := e.Range()
			l.fail(&rng, "Invalid value of by", "Write the name of one metric, such as time_per_call or latency.mean.")
		}
	}
	return k
}
