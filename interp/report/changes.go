package report

import (
	"fmt"
	"math"
	"strings"

	"versus/interp/analyze"
	"versus/stdlib/metric"
	"versus/stdlib/stats"
	"versus/stdlib/units"
)

// Changes reports what became of each cell between two results: one table, and
// notes on what could not be compared.
func Changes(title string, all *analyze.Changes, confidence float64) *Report {
	t := &Table{Name: "changes", Title: "Old and new", Columns: []Column{
		{Title: "cell", Label: true}, {Title: "metric", Label: true}, {Title: "old"}, {Title: "new"}, {Title: "change"},
	}}
	notes := footnotes{}
	for _, c := range all.Changes {
		row := []Cell{label(c.New.Plan.Key), label(c.Metric.Name)}
		if c.Missing != "" {
			nothing := Cell{Kind: KindEmpty, Parts: []string{""}}
			row = append(row, nothing, nothing, Cell{Kind: KindMissing, Parts: []string{"N/A"}})
			notes.add(&row[len(row)-1], "N/A", c.Missing)
			t.Rows = append(t.Rows, row)
			continue
		}
		t.Rows = append(t.Rows, append(row, quantity(c.Metric, c.OldMedian), quantity(c.Metric, c.NewMedian), changeCell(c)))
	}
	notes.table(fmt.Sprintf("Medians of all valid runs. The change is the ratio by Hodges-Lehmann with its exact interval of %.4g%%: above 1x, the new result is better.", 100*confidence))
	notes.table("Verdicts hold for all cells together (Holm).")
	if !math.IsNaN(all.Mean) {
		notes.table(fmt.Sprintf("Geometric mean of the changes: %sx.", units.FormatNumber(all.Mean)))
	}
	t.Footnotes = notes.finish()
	r := &Report{Name: "compare", Title: title, Tables: []*Table{t}}
	for _, side := range []struct {
		name string
		keys []string
	}{{"old", all.OnlyOld}, {"new", all.OnlyNew}} {
		if len(side.keys) > 0 {
			r.Notes = append(r.Notes, Note{Warning: true, Text: fmt.Sprintf("Only in the %s result: %s.", side.name, strings.Join(side.keys, ", "))})
		}
	}
	return r
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
	cell := Cell{Kind: KindText, Value: &ratio, Detail: &Detail{Verdict: string(c.Verdict), Ratio: &ratio, P: &c.AdjustedP}}
	st := style{format: "ratio", decimals: -1}
	interval := ""
	if c.Ratio.Level > 0 {
		interval = bounds(st, analyze.Interval{Low: c.Ratio.Low, High: c.Ratio.High}, ratio)
		cell.Detail.RatioLow, cell.Detail.RatioHigh = &c.Ratio.Low, &c.Ratio.High
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
