package analyze

import (
	"cmp"
	"fmt"
	"slices"

	"versus/stdlib/metric"
	"versus/stdlib/stats"
)

// driftAlpha is the chance of a remark on drift anywhere in a result without
// any: p values are adjusted over all cells (Holm 1979).
const driftAlpha = 0.05

// drift is a trend of the runs of a cell over the time at which they were made.
type drift struct {
	slope float64 // per run, as a share of the median
	p     float64 // adjusted over the result
}

// findDrift tests each cell for a trend over the order of its runs.
func findDrift(cells []*Cell) {
	series := make([][]float64, len(cells))
	for i, c := range cells {
		series[i] = c.inTime()
	}
	for i, d := range drifts(series) {
		cells[i].drift = d
	}
}

// drifts tests series for a trend (Mann 1945, Kendall 1955; slope by Theil
// 1950 and Sen 1968): a machine that warms up, a disk that fills. A series
// without one, or too short to show it, has nil.
func drifts(series [][]float64) []*drift {
	found := make([]*drift, len(series))
	var tested []int
	var ps []float64
	for i, values := range series {
		trend, err := stats.MannKendall(values)
		median := stats.Median(values)
		if err != nil || !(median > 0) {
			continue
		}
		tested, ps = append(tested, i), append(ps, trend.P)
		found[i] = &drift{slope: trend.Slope / median}
	}
	for k, p := range stats.Holm(ps) {
		if i := tested[k]; p <= driftAlpha {
			found[i].p = p
		} else {
			found[i] = nil
		}
	}
	return found
}

// inTime are the values of the cell's ranking metric in the order in which its
// valid runs were made; nil if a run has none.
func (c *Cell) inTime() []float64 {
	if c.Plan.Test.Methodology == nil {
		return nil
	}
	m, ok := metric.Lookup(c.rankingMetric())
	if !ok {
		return nil
	}
	runs := slices.Clone(c.runs)
	slices.SortStableFunc(runs, func(a, b *runData) int {
		return cmp.Or(a.run.Start.Compare(b.run.Start), cmp.Compare(a.run.Order, b.run.Order), cmp.Compare(a.run.Run, b.run.Run))
	})
	var values []float64
	for _, d := range runs {
		if len(d.run.Roles) == 0 { // recorded elsewhere, at times unknown
			return nil
		}
		p, why := d.value(m)
		if why != "" {
			return nil
		}
		values = append(values, p.value)
	}
	return values
}

func (c *Cell) driftRemarks() []Remark {
	if c.drift == nil {
		return nil
	}
	return []Remark{{true, "drift from run to run of " + c.rankingMetric() + ": the order of runs matters",
		fmt.Sprintf("%+.2g%% a run over %d runs, p = %.2g", 100*c.drift.slope, len(c.runs), c.drift.p)}}
}
