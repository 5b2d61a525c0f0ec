package analyze

import (
	"math"

	"versus/stdlib/stats"
)

// Advice says how many runs a cell needs, judged by a pilot.
type Advice struct {
	Cell   string `json:"cell"` // plan.Cell.Key
	Metric string `json:"metric"`
	// Runs are the valid runs of the pilot, Mean their mean in the metric's unit,
	// Spread their standard deviation and Precision half the width of the t
	// interval of the mean, both as a share of the mean.
	Runs      int     `json:"runs,omitempty"`
	Mean      float64 `json:"mean,omitempty"`
	Spread    float64 `json:"spread,omitempty"`
	Precision float64 `json:"precision,omitempty"`
	// Need is how many runs of the pilot's length the wanted precision takes, and
	// Seconds how long they last.
	Need    int     `json:"need,omitempty"`
	Seconds float64 `json:"seconds,omitempty"`
	// Best is the same for runs of the best length; nil if the pilot can't tell.
	Best *BestLength `json:"best,omitempty"`
	// Problem says why there is no advice, or no best length.
	Problem string `json:"problem,omitempty"`
}

// BestLength is the length of runs that makes the mean most certain for the
// time spent (Kalibera and Jones 2013).
type BestLength struct {
	Factor  float64 `json:"factor"`  // to the measurement of the pilot
	Measure float64 `json:"measure"` // seconds of measurement in a run
	Need    int     `json:"need"`    // runs of this length
	Seconds float64 `json:"seconds"` // of all of them
	// Within and Between are the spread of windows within a run and of runs
	// beyond it, as shares of the mean.
	Within  float64 `json:"within"`
	Between float64 `json:"between"`
}

// AdviceConfidence is the confidence of the intervals that advice is about.
const AdviceConfidence = 0.95

// maxLonger bounds the factor by which a best length may differ from the
// pilot's, either way: beyond, it is a guess.
const maxLonger = 10

// Advise says for each cell how many runs make half the width of the t interval
// of its mean a share precision of the mean.
//
// It assumes that further runs spread like those of the pilot, are independent
// and about normal; and for the best length, that windows within a run are
// independent and that a run's time beyond its measurement (start, connections,
// warm-up, pause) stays as it is.
func (r *Result) Advise(precision float64) []Advice {
	var out []Advice
	for _, c := range r.Cells {
		out = append(out, c.advise(precision))
	}
	return out
}

func (c *Cell) advise(precision float64) Advice {
	a := Advice{Cell: c.Plan.Key}
	if c.Plan.Test.Methodology == nil {
		a.Problem = "the test has no methodology"
		return a
	}
	a.Metric = c.rankingMetric()
	values, why := c.RunValues(a.Metric)
	if why != "" {
		a.Problem = why
		return a
	}
	a.Runs = len(values)
	need, err := stats.RunsFor(values, precision, AdviceConfidence)
	if err != nil {
		a.Problem = err.Error()
		return a
	}
	in, err := stats.MeanInterval(values, AdviceConfidence)
	if err != nil {
		a.Problem = err.Error()
		return a
	}
	a.Mean = stats.Mean(values)
	a.Spread = stats.StdDev(values) / math.Abs(a.Mean)
	a.Precision = (in.High - in.Low) / 2 / math.Abs(a.Mean)
	a.Need = max(need, 2) // one run has no interval
	measure, beyond := c.costs()
	a.Seconds = float64(a.Need) * (measure + beyond)
	a.Best, a.Problem = c.bestLength(precision, measure, beyond)
	return a
}

// costs are the seconds of a run: those measured, and those beyond, on average.
func (c *Cell) costs() (measure, beyond float64) {
	for _, d := range c.runs {
		n := float64(len(c.runs))
		elapsed := d.window.sender.elapsed
		measure += elapsed / n
		beyond += (math.Max(0, d.run.Total-elapsed) + c.Plan.Test.Methodology.Pause) / n
	}
	return measure, beyond
}

// bestLength splits the variance of the windows over windows and runs.
func (c *Cell) bestLength(precision, measure, beyond float64) (*BestLength, string) {
	var series [][]float64
	windows := math.MaxInt
	for _, d := range c.runs {
		values, why := c.windowValues(d)
		if why != "" {
			return nil, why
		}
		series, windows = append(series, values), min(windows, len(values))
	}
	if windows < minWindows {
		return nil, "the runs of the pilot have too few windows to tell how long they should be"
	}
	var values []float64
	for _, run := range series {
		values = append(values, run[:windows]...)
	}
	levels, err := stats.KaliberaJones(values, []int{len(series), windows}, AdviceConfidence)
	if err != nil {
		return nil, err.Error()
	}
	if !(measure > 0 && beyond > 0) {
		return nil, "the pilot does not say how long its runs took"
	}
	mean := levels.Mean.Estimate
	within, between := math.Max(0, levels.T2[0]), math.Max(0, levels.T2[1])
	each := measure / float64(windows)
	repeat, err := levels.Repetitions([]float64{each, beyond})
	if err != nil {
		return nil, err.Error()
	}
	n := math.Min(math.Max(repeat[0], float64(windows)/maxLonger), float64(windows)*maxLonger)
	b := &BestLength{Factor: n / float64(windows), Measure: n * each, Within: math.Sqrt(within) / mean, Between: math.Sqrt(between) / mean}
	// The variance of a run of that length, with the pilot's degrees of freedom.
	t := stats.TQuantile(float64(len(series)-1), AdviceConfidence)
	b.Need = max(2, int(math.Ceil(t*t*(between+within/n)/(precision*precision*mean*mean))))
	b.Seconds = float64(b.Need) * (b.Measure + beyond)
	return b, ""
}

// windowValues are what each window of a run adds to the value of the run: the
// calls in it, where a closed loop is cut by time, since its time per call is
// the time over their sum; else its mean latency, which may be averaged where
// windows hold about as many messages.
func (c *Cell) windowValues(d *runData) (values []float64, why string) {
	w := c.Plan.Workload
	calls := c.rankingMetric() == "time_per_call" && w.Rate == 0 && w.Measure.Seconds > 0
	least, most := int64(math.MaxInt64), int64(0)
	for _, w := range c.windowsOf(d) {
		least, most = min(least, w.Count), max(most, w.Count)
		if calls {
			values = append(values, float64(w.Count))
		} else if w.Count > 0 {
			values = append(values, float64(w.Sum)/float64(w.Count)/1e9)
		}
	}
	if !calls && most > 2*least {
		return nil, "the windows of the pilot hold very different numbers of messages, so that they don't tell how long runs should be"
	}
	return values, ""
}
