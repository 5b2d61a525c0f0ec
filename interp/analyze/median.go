package analyze

import (
	"versus/dsl"
	"versus/stdlib/metric"
	"versus/stdlib/stats"
)

// MedianConfidence is the least confidence of the intervals of medians.
const MedianConfidence = 0.95

// Median is the median over all valid runs of a cell of what an expression
// says of each run, with its exact interval (order statistics).
type Median struct {
	Outcome    dsl.Outcome
	Interval   Interval
	NoInterval string // why there is none
}

// IsMean says whether a metric of a cell is a mean over the runs that were kept.
func IsMean(name string) bool {
	m, ok := metric.Lookup(name)
	return ok && m.Combine == metric.MeanOfKept
}

// MedianOfRuns evaluates an expression over metrics for each valid run of the
// cell and returns the median. An expression that gives a text is evaluated
// once, over the median of each metric.
func (r *Result) MedianOfRuns(c *Cell, metrics []string, eval func(View) dsl.Outcome) Median {
	values := map[string][]float64{}
	for _, name := range metrics {
		v, why := c.RunValues(name)
		if why != "" {
			return Median{Outcome: dsl.Outcome{Kind: dsl.IsMissing, Why: why}}
		}
		values[name] = v
	}
	at := func(get func(name string) float64) dsl.Outcome {
		return eval(View{Result: r, Cell: c, Runs: func(_ *Cell, name string) (float64, string) {
			if values[name] == nil {
				return 0, name + " was not asked for"
			}
			return get(name), ""
		}})
	}
	var numbers []float64
	for i := range c.Valid {
		o := at(func(name string) float64 { return values[name][i] })
		if o.Kind == dsl.IsText {
			return Median{
				Outcome:    at(func(name string) float64 { return stats.Median(values[name]) }),
				NoInterval: "a text has no interval",
			}
		}
		if o.Kind != dsl.IsNumber {
			return Median{Outcome: o}
		}
		numbers = append(numbers, o.Number)
	}
	m := Median{Outcome: dsl.Outcome{Kind: dsl.IsNumber, Number: stats.Median(numbers)}}
	in, err := stats.MedianInterval(numbers, MedianConfidence)
	if err != nil {
		m.NoInterval = err.Error()
	}
	m.Interval = Interval{in.Low, in.High}
	return m
}
