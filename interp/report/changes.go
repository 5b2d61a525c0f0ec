package report

import (
	"fmt"
	"strings"

	"versus/interp/analyze"
	"versus/stdlib/metric"
	"versus/stdlib/stats"
	"versus/stdlib/units"
)

// Changes reports what became of each cell between two results: one table, the
// geometric mean last, with notes on what could not be compared and with the
// warnings about the runs of either.
func Changes(title string, old, new *analyze.Result, all *analyze.Changes, confidence float64) *Report {
	t := &Table{Name: "changes", Title: "Old and new", Columns: []Column{
		{Title: "cell", Label: true}, {Title: "metric", Label: true}, {Title: "old"}, {Title: "new"}, {Title: "change"},
	}}
	marks := footnotes{}
	for _, c := range all.Changes { // at their full length: footnotes point at cells
		t.Rows = append(t.Rows, append([]Cell{label(c.New.Plan.Key), label(c.Metric.Name)}, make([]Cell, 3)...))
	}
	for i, c := range all.Changes {
		row := t.Rows[i]
		if c.Missing != "" {
			row[2], row[3], row[4] = nothing, nothing, Cell{Kind: KindMissing, Parts: []string{"N/A"}}
			marks.add(&row[4], "N/A", c.Missing)
			continue
		}
		row[2], row[3], row[4] = quantity(c.Metric, c.OldMedian), quantity(c.Metric, c.NewMedian), changeCell(c)
	}
	marks.table(fmt.Sprintf("Medians of all valid runs. The change is the ratio by Hodges-Lehmann with its exact interval of at least %.4g%%: above 1x, the new result is %s.", 100*confidence, inFavour(all)))
	if all.NoiseFloor > 1 {
		marks.table(fmt.Sprintf("Noise floor: %s. So far apart came two measurements of one baseline (A/A), in that of the two results where it was worse; a smaller change gets no verdict.",
			style{format: "percent", decimals: 1}.print(all.NoiseFloor-1)))
	}
	marks.table("Verdicts hold for all cells together (Holm).")
	if m := all.Mean; m.Cells > 0 {
		t.Rows = append(t.Rows, []Cell{label("geometric mean"), label(fmt.Sprintf("%d of %s", m.Cells, plural(len(all.Changes), "cell", "cells"))), nothing, nothing, meanCell(m)})
		marks.table(meanNote(m, confidence))
	}
	t.Footnotes = marks.finish()
	r := &Report{Name: "compare", Title: title, Tables: []*Table{t}}
	for _, side := range []struct {
		name string
		keys []string
	}{{"old", all.OnlyOld}, {"new", all.OnlyNew}} {
		if len(side.keys) > 0 {
			r.Notes = append(r.Notes, Note{Warning: true, Text: fmt.Sprintf("Only in the %s result, and compared with nothing: %s.", side.name, strings.Join(side.keys, ", "))})
		}
	}
	for i, res := range []*analyze.Result{old, new} {
		for _, n := range notes(res) {
			if n.Warning {
				n.Text = []string{"Old: ", "New: "}[i] + n.Text
				r.Notes = append(r.Notes, n)
			}
		}
	}
	for _, why := range all.NoFloor {
		r.Notes = append(r.Notes, Note{Warning: true, Text: "A noise floor was asked for and could not be found, " + why + "."})
	}
	return r
}

// inFavour is what a ratio above 1 says of the new result. All changes are of
// metrics that have a better direction, or of one that has none.
func inFavour(all *analyze.Changes) string {
	if len(all.Changes) > 0 && all.Changes[0].Metric.Better == metric.Neither {
		return "higher"
	}
	return "better"
}

var nothing = Cell{Kind: KindEmpty, Parts: []string{""}}

// meanCell shows a mean of changes. It gets no verdict: each cell has its own.
func meanCell(m analyze.MeanChange) Cell {
	st := style{format: "ratio", decimals: -1}
	c := Cell{Kind: KindNumber, Value: &m.Ratio, Detail: &Detail{}}
	interval := ""
	if m.NoInterval == "" {
		c.Detail.Low, c.Detail.High = &m.Interval.Low, &m.Interval.High
		st = st.following(m.Interval)
		interval = bounds(st, m.Interval, m.Ratio)
	}
	c.Parts = []string{st.print(m.Ratio), interval, ""}
	return c
}

func meanNote(m analyze.MeanChange, confidence float64) string {
	if m.NoInterval != "" {
		return "The geometric mean has no interval: " + m.NoInterval + "."
	}
	return fmt.Sprintf("The interval of the geometric mean, of %.4g%%, is a percentile bootstrap over the runs of these cells: approximate, and about these cells only.", 100*confidence)
}

func label(text string) Cell { return Cell{Kind: KindLabel, Parts: []string{text}} }

// quantity prints a value of a metric with the unit that fits it.
func quantity(m metric.Metric, v float64) Cell {
	text := units.FormatNumber(v)
	switch m.Unit {
	case "s":
		text = units.FormatDuration(v)
	case "B":
		text = units.FormatSize(v)
	case "1/s":
		text += "/s"
	case "B/s":
		text = units.FormatSize(v) + "/s"
	}
	return Cell{Kind: KindNumber, Parts: []string{text}, Value: &v}
}

func changeCell(c *analyze.Change) Cell {
	ratio := c.Ratio.Estimate
	cell := Cell{Kind: KindText, Value: &ratio, Detail: &Detail{Verdict: c.Words(), Ratio: &ratio, P: &c.AdjustedP}}
	st := style{format: "ratio", decimals: -1}
	interval := ""
	if c.Ratio.Level > 0 {
		in := analyze.Interval{Low: c.Ratio.Low, High: c.Ratio.High}
		st = st.following(in)
		interval = bounds(st, in, ratio)
		cell.Detail.RatioLow, cell.Detail.RatioHigh = &c.Ratio.Low, &c.Ratio.High
		cell.Detail.Low, cell.Detail.High = &c.Ratio.Low, &c.Ratio.High // the value is the ratio
	}
	switch c.Verdict {
	case stats.Faster:
		cell.Kind = KindBetter
	case stats.Slower:
		cell.Kind = KindWorse
	}
	cell.Parts = []string{st.print(ratio), interval, c.Words()}
	return cell
}
