package report

import (
	"encoding/json"
	"io"
)

// JSONFormat is the version of the JSON format; docs/results.md describes it.
const JSONFormat = 1

// JSON writes the report for programs. Texts are as they came, not cleaned:
// JSON escapes them itself.
func JSON(w io.Writer, r *Report) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(jsonReport{
		Format: JSONFormat, Scenario: r.Name, Title: r.Title, Description: r.Description,
		Tables: jsonTables(r.Tables), Charts: jsonCharts(r.Charts), Expectations: jsonExpectations(r.Expectations), Notes: jsonNotes(r.Notes),
		Seed: r.Seed, Resamples: r.Resamples,
	})
}

type jsonReport struct {
	Format       int               `json:"format"`
	Scenario     string            `json:"scenario"`
	Title        string            `json:"title"`
	Description  string            `json:"description,omitempty"`
	Tables       []jsonTable       `json:"tables"`
	Charts       []jsonChart       `json:"charts,omitempty"`
	Expectations []jsonExpectation `json:"expectations"`
	Notes        []jsonNote        `json:"notes"`
	Seed         uint64            `json:"seed,omitempty"`
	Resamples    int               `json:"resamples,omitempty"`
}

type jsonTable struct {
	Name      string         `json:"name"`
	Title     string         `json:"title"`
	Columns   []jsonColumn   `json:"columns"`
	Rows      [][]jsonCell   `json:"rows"`
	Footnotes []jsonFootnote `json:"footnotes,omitempty"`
	AllRuns   *jsonTable     `json:"all_runs,omitempty"`

	LatencyKinds []string `json:"latency_kinds,omitempty"`
}

type jsonColumn struct {
	Title string `json:"title"`
	Label bool   `json:"label,omitempty"`
}

type jsonCell struct {
	Kind      Kind     `json:"kind"`
	Text      string   `json:"text"`
	Mark      string   `json:"mark,omitempty"`
	Value     *float64 `json:"value,omitempty"`
	Low       *float64 `json:"low,omitempty"`
	High      *float64 `json:"high,omitempty"`
	P         *float64 `json:"p,omitempty"`
	Ratio     *float64 `json:"ratio,omitempty"`
	RatioLow  *float64 `json:"ratio_low,omitempty"`
	RatioHigh *float64 `json:"ratio_high,omitempty"`
	Verdict   string   `json:"verdict,omitempty"`

	NoiseFloor *float64 `json:"noise_floor,omitempty"`
	WithinLow  *float64 `json:"within_low,omitempty"`
	WithinHigh *float64 `json:"within_high,omitempty"`
	Effective  *float64 `json:"effective,omitempty"`
}

type jsonFootnote struct {
	Mark string `json:"mark,omitempty"`
	Text string `json:"text"`
}

type jsonExpectation struct {
	Text     string   `json:"text"`
	Status   Status   `json:"status"`
	Checked  int      `json:"checked"`
	Failures []string `json:"failures,omitempty"`
}

type jsonNote struct {
	Warning bool   `json:"warning,omitempty"`
	Text    string `json:"text"`
}

func jsonTables(tables []*Table) []jsonTable {
	out := []jsonTable{}
	for _, t := range tables {
		out = append(out, jsonTableOf(t))
	}
	return out
}

func jsonTableOf(t *Table) jsonTable {
	j := jsonTable{Name: t.Name, Title: t.Title, Columns: []jsonColumn{}, Rows: [][]jsonCell{}, LatencyKinds: t.LatencyKinds}
	for _, c := range t.Columns {
		j.Columns = append(j.Columns, jsonColumn(c))
	}
	for _, row := range t.Rows {
		cells := []jsonCell{}
		for _, c := range row {
			cells = append(cells, jsonCellOf(c))
		}
		j.Rows = append(j.Rows, cells)
	}
	for _, f := range t.Footnotes {
		j.Footnotes = append(j.Footnotes, jsonFootnote(f))
	}
	if t.AllRuns != nil {
		all := jsonTableOf(t.AllRuns)
		j.AllRuns = &all
	}
	return j
}

func jsonCellOf(c Cell) jsonCell {
	j := jsonCell{Kind: c.Kind, Text: c.Text(), Mark: c.Mark, Value: c.Value}
	if d := c.Detail; d != nil {
		j.Low, j.High, j.P, j.Verdict = d.Low, d.High, d.P, d.Verdict
		j.NoiseFloor = d.NoiseFloor
		j.WithinLow, j.WithinHigh, j.Effective = d.WithinLow, d.WithinHigh, d.Effective
		j.Ratio, j.RatioLow, j.RatioHigh = d.Ratio, d.RatioLow, d.RatioHigh
	}
	return j
}

func jsonExpectations(es []Expectation) []jsonExpectation {
	out := []jsonExpectation{}
	for _, e := range es {
		out = append(out, jsonExpectation(e))
	}
	return out
}

func jsonNotes(notes []Note) []jsonNote {
	out := []jsonNote{}
	for _, n := range notes {
		out = append(out, jsonNote(n))
	}
	return out
}
