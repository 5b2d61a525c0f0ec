package lint

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"versus/stdlib/metric"
)

// kind is what a number measures.
type kind string

const (
	noKind      kind = ""
	ofTime      kind = "a time"
	ofSize      kind = "a size"
	ofBandwidth kind = "bytes per second"
	ofRate      kind = "a rate"
	ofShare     kind = "a share"
)

// unit is a unit as headings write it. A value in base units times factor is a
// value in the unit.
type unit struct {
	name   string
	kind   kind
	factor float64
}

// units are the units that are known, the preferred spelling first.
var units = []unit{
	{"s", ofTime, 1}, {"ms", ofTime, 1e3}, {"us", ofTime, 1e6}, {"µs", ofTime, 1e6}, {"μs", ofTime, 1e6}, {"ns", ofTime, 1e9},
	{"B", ofSize, 1}, {"bytes", ofSize, 1}, {"kB", ofSize, 1e-3}, {"KB", ofSize, 1e-3}, {"MB", ofSize, 1e-6}, {"GB", ofSize, 1e-9},
	{"KiB", ofSize, 1. / 1024}, {"MiB", ofSize, 1. / 1048576}, {"GiB", ofSize, 1. / 1073741824},
	{"B/s", ofBandwidth, 1}, {"kB/s", ofBandwidth, 1e-3}, {"MB/s", ofBandwidth, 1e-6}, {"GB/s", ofBandwidth, 1e-9},
	{"KiB/s", ofBandwidth, 1. / 1024}, {"MiB/s", ofBandwidth, 1. / 1048576}, {"GiB/s", ofBandwidth, 1. / 1073741824},
	{"bit/s", ofBandwidth, 8}, {"kbit/s", ofBandwidth, 8e-3}, {"Mbit/s", ofBandwidth, 8e-6}, {"Gbit/s", ofBandwidth, 8e-9},
	{"bps", ofBandwidth, 8}, {"kbps", ofBandwidth, 8e-3}, {"Mbps", ofBandwidth, 8e-6}, {"Gbps", ofBandwidth, 8e-9},
	{"1/s", ofRate, 1}, {"/s", ofRate, 1}, {"calls/s", ofRate, 1}, {"call/s", ofRate, 1}, {"messages/s", ofRate, 1}, {"msgs/s", ofRate, 1}, {"msg/s", ofRate, 1},
	{"requests/s", ofRate, 1}, {"req/s", ofRate, 1}, {"ops/s", ofRate, 1}, {"lines/s", ofRate, 1}, {"Hz", ofRate, 1}, {"QPS", ofRate, 1}, {"qps", ofRate, 1},
	{"RPS", ofRate, 1}, {"rps", ofRate, 1}, {"k/s", ofRate, 1e-3}, {"kHz", ofRate, 1e-3}, {"M/s", ofRate, 1e-6}, {"MHz", ofRate, 1e-6},
	{"%", ofShare, 100}, {"pp", ofShare, 100}, {"ppm", ofShare, 1e6},
}

func unitCalled(name string) (unit, bool) {
	for _, u := range units {
		if u.name == name {
			return u, true
		}
	}
	return unit{}, false
}

// unitWith is the unit of a kind with a factor.
func unitWith(k kind, factor float64) (unit, bool) {
	for _, u := range units {
		if u.kind == k && sameFactor(u.factor, factor) {
			return u, true
		}
	}
	return unit{}, false
}

func sameFactor(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) }

// kindOf is what a metric measures; noKind for counts.
func kindOf(m metric.Metric) kind {
	switch {
	case m.Unit == "s":
		return ofTime
	case m.Unit == "B":
		return ofSize
	case m.Unit == "B/s":
		return ofBandwidth
	case m.Unit == "1/s":
		return ofRate
	case isShare(m):
		return ofShare
	}
	return noKind
}

var (
	bracketed = regexp.MustCompile(`[(\[]([^()\[\]]+)[)\]]`)
	unitWord  = regexp.MustCompile(`[^\s,;:()\[\]]+`)
)

// unitIn finds the unit that a heading names: in brackets, or as a word of its
// own; a letter alone, which may mean anything, only in brackets. After a
// number, as in "p99 at 100 Hz", a unit is not that of the values.
func (t prose) unitIn() (u unit, from, to int, ok bool) {
	for _, b := range bracketed.FindAllStringSubmatchIndex(t.words, -1) {
		if u, from, to, ok := unitAmong(t.words, b[2], b[3], 1); ok {
			return u, from, to, true
		}
	}
	if u, from, to, ok := unitAmong(t.words, 0, len(t.words), 2); ok {
		return u, from, to, true
	}
	for _, w := range []struct{ words, name string }{{"%", "%"}, {"per second", "1/s"}} {
		if i := strings.Index(t.words, w.words); i >= 0 {
			u, _ := unitCalled(w.name)
			return u, i, i + len(w.words), true
		}
	}
	return unit{}, 0, 0, false
}

// unitAmong finds a unit of at least so many letters among words[from:to].
func unitAmong(words string, from, to, letters int) (u unit, start, end int, ok bool) {
	before := ""
	for _, w := range unitWord.FindAllStringIndex(words[from:to], -1) {
		word := words[from+w[0] : from+w[1]]
		_, err := strconv.ParseFloat(before, 64)
		before = word
		if u, known := unitCalled(word); known && err != nil && (len(word) >= letters || word == "%") {
			return u, from + w[0], from + w[1], true
		}
	}
	return unit{}, 0, 0, false
}

// shownMetric is the metric that a column shows and the factor by which it is
// multiplied: that of the column's own formula, or of the difference that its
// comparison computes and prints as a number.
func (p *Pass) shownMetric(col column) (m metric.Metric, factor float64, ok bool) {
	if name, is := col.comparison(); is {
		c, s := p.comparisonOf(name), p.shape(name)
		return s.p.metric, s.scale, c != nil && c.Format == "number" && s.form == difference && s.oneMetric()
	}
	e := col.expr
	if e.Over != nil {
		e = e.Over
	}
	s := shapeOf(p.Scenario, e)
	return s.p.metric, s.scale, s.form == single
}
