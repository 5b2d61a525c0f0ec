package dataset

import (
	"bytes"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"

	"versus/stdlib/units"
)

// hdrPercentiles are the columns of percentiles, as metrics name them.
var hdrPercentiles = []struct {
	column string
	p      float64
}{
	{"latency_p50", 50}, {"latency_p75", 75}, {"latency_p90", 90}, {"latency_p95", 95}, {"latency_p99", 99},
	{"latency_p99_9", 99.9}, {"latency_p99_99", 99.99},
}

// maxIntervals is how many intervals a log may have: a day of seconds.
const maxIntervals = 100_000

// hdrLog is a log that is being read.
type hdrLog struct {
	unit      string // of the recorded values
	decoder   histogramDecoder
	intervals []hdrInterval
	totals    []*hdrTotal // by tag, in the order of the file
	started   bool
	base      float64
}

type hdrInterval struct {
	at          place
	tag         string
	start, long float64 // s
	histogram   *hdrhistogram.PackedHistogram
}

type hdrTotal struct {
	tag    string
	at     place
	long   float64
	merged *hdrhistogram.PackedHistogram
}

// readHdr reads an interval log of HdrHistogram (.hlog), format 1.1 to 1.3,
// with histograms encoded as V1 or V2. The log doesn't say what unit the values
// have, so Options.Unit must.
//
// First comes, for each tag, a row of scope "total" with the merged histogram;
// then a row an interval, scope "interval". Columns: tag (absent where there is
// none), start (s, as the log has it, plus its BaseTime), duration (s), count,
// throughput (count by duration, 1/s), latency_min, latency_mean,
// latency_stddev, latency_p50, latency_p75, latency_p90, latency_p95,
// latency_p99, latency_p99_9, latency_p99_99 and latency_max (s). An interval
// that recorded nothing has a count of 0 and no latencies.
//
// Values are as exact as the histogram's buckets: percentiles and the maximum
// are the upper ends of their buckets, the minimum the lower end; the mean and
// the deviation are of the middles. Histograms of floating-point numbers
// (DoubleHistogram) are refused.
func readHdr(src []byte, opts Options) (*Table, error) {
	switch opts.Unit {
	case "ns", "us", "ms", "s":
	default:
		return nil, &Error{Text: `an HdrHistogram log doesn't say in which unit its values are: write unit = "ns", "us", "ms" or "s"`}
	}
	src, err := text(src)
	if err != nil {
		return nil, err
	}
	log := &hdrLog{unit: opts.Unit}
	for i, line := range bytes.Split(src, []byte("\n")) {
		if err := log.line(strings.TrimRight(string(line), " \t\r"), i+1); err != nil {
			return nil, err
		}
	}
	if len(log.intervals) == 0 {
		return nil, &Error{Text: "there is no interval; this is not an HdrHistogram log, or it recorded nothing"}
	}
	return log.table()
}

var (
	hdrVersion = regexp.MustCompile(`^#\[Histogram log format version ([0-9.]+)\]`)
	hdrStart   = regexp.MustCompile(`^#\[StartTime: *([0-9.]+)`)
	hdrBase    = regexp.MustCompile(`^#\[BaseTime: *([0-9.]+)`)
)

func (l *hdrLog) line(line string, n int) error {
	switch {
	case line == "" || strings.HasPrefix(line, `"StartTimestamp"`):
		return nil
	case line[0] != '#':
		return l.interval(line, n)
	}
	if m := hdrVersion.FindStringSubmatch(line); m != nil {
		if m[1] != "1.1" && m[1] != "1.2" && m[1] != "1.3" {
			return errorAt(place{n, 1}, "the log has the format %.10s; 1.1, 1.2 and 1.3 can be read", m[1])
		}
	}
	if hdrStart.MatchString(line) {
		if l.started {
			return errorAt(place{n, 1}, "a second log begins here; one file holds one log")
		}
		l.started = true
	}
	if m := hdrBase.FindStringSubmatch(line); m != nil {
		base, err := strconv.ParseFloat(m[1], 64)
		if err != nil || math.IsInf(base, 0) || len(l.intervals) > 0 {
			return errorAt(place{n, 1}, "a base time must be a number and come before the intervals")
		}
		l.base = base
	}
	return nil
}

// interval reads "[Tag=NAME,]start,length,max,histogram".
func (l *hdrLog) interval(line string, n int) error {
	cells := perfCells(line, n)
	it := hdrInterval{at: place{n, 1}}
	if tag, ok := strings.CutPrefix(cells[0].text, "Tag="); ok {
		it.tag, cells = tag, cells[1:]
	}
	if len(cells) != 4 {
		return errorAt(it.at, "this is not an interval of an HdrHistogram log: [Tag=NAME,]start,length,maximum,histogram; the log is cut or of another format")
	}
	var err error
	if it.start, err = perfAmount(cells[0], "the start", "s"); err != nil {
		return err
	}
	if it.long, err = perfAmount(cells[1], "the length", "s"); err != nil {
		return err
	}
	if _, err = perfAmount(cells[2], "the maximum", ""); err != nil {
		return err
	}
	it.start += l.base
	if len(l.intervals) == maxIntervals {
		return errorAt(it.at, "the log has more than %d intervals", maxIntervals)
	}
	if it.histogram, err = l.decoder.decode(cells[3].text); err != nil {
		return errorAt(cells[3].at, "%v", err)
	}
	l.intervals = append(l.intervals, it)
	return l.merge(it)
}

// merge adds an interval to the total of its tag.
func (l *hdrLog) merge(it hdrInterval) error {
	var total *hdrTotal
	for _, t := range l.totals {
		if t.tag == it.tag {
			total = t
		}
	}
	h := it.histogram
	if total == nil {
		if len(l.totals) == MaxColumns {
			return errorAt(it.at, "the log has more than %d tags", MaxColumns)
		}
		// A packed histogram costs what it holds, so that a total can reach far.
		merged := hdrhistogram.NewPacked(h.LowestTrackableValue(), math.MaxInt64, int(h.SignificantFigures()))
		total = &hdrTotal{tag: it.tag, at: it.at, merged: merged}
		l.totals = append(l.totals, total)
	}
	m := total.merged
	if m.SignificantFigures() != h.SignificantFigures() || m.LowestTrackableValue() != h.LowestTrackableValue() {
		return errorAt(it.at, "this histogram has other buckets (from %d, %d digits) than the one in line %d (from %d, %d digits); a merge would be less exact than both",
			h.LowestTrackableValue(), h.SignificantFigures(), total.at.line, m.LowestTrackableValue(), m.SignificantFigures())
	}
	if dropped := m.Merge(h); dropped > 0 {
		return errorAt(it.at, "the counts of the log add up to more than 2^63")
	}
	total.long += it.long
	return nil
}

func (l *hdrLog) table() (*Table, error) {
	s := newSheet("scope", "tag", "start", "duration", "count", "throughput", "latency_min", "latency_mean", "latency_stddev")
	for _, t := range l.totals {
		if err := l.add(s, "total", hdrInterval{t.at, t.tag, -1, t.long, t.merged}); err != nil {
			return nil, err
		}
	}
	for _, it := range l.intervals {
		if err := l.add(s, "interval", it); err != nil {
			return nil, err
		}
	}
	return s.table()
}

func (l *hdrLog) add(s *sheet, scope string, it hdrInterval) error {
	row, err := s.add(it.at)
	if err != nil {
		return err
	}
	s.set(row, "scope", scope)
	if it.tag != "" {
		s.set(row, "tag", it.tag)
	}
	if it.start >= 0 {
		s.set(row, "start", it.start)
	}
	s.set(row, "duration", it.long)
	n := float64(it.histogram.TotalCount())
	s.set(row, "count", n)
	if rate := n / it.long; it.long > 0 && !math.IsInf(rate, 0) {
		s.set(row, "throughput", rate)
	}
	if n == 0 {
		return nil
	}
	set := func(column string, v float64) {
		v, _ = units.Convert(v, l.unit) // a unit of time, and a value of 64 bits
		s.set(row, column, v)
	}
	set("latency_min", float64(it.histogram.Min()))
	set("latency_mean", it.histogram.Mean())
	set("latency_stddev", it.histogram.StdDev())
	ps := make([]float64, len(hdrPercentiles))
	for i, p := range hdrPercentiles {
		ps[i] = p.p
	}
	for i, v := range it.histogram.ValueAtPercentilesSlice(ps) {
		set(hdrPercentiles[i].column, float64(v))
	}
	set("latency_max", float64(it.histogram.Max()))
	return nil
}
