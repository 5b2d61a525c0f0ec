package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
)

func ptr(v float64) *float64 { return &v }

// examples has a chart of each kind, with everything that one can have.
func examples() []*Chart {
	value := func(name string, x Axis, y Scale) *Chart {
		return &Chart{Kind: Value, Name: name, Title: "Latency", X: x, Y: Axis{Label: "mean (us)", Scale: y}, Notes: []string{"Medians."}, Series: []Series{
			{Name: "grpc", Points: []Point{{X: 0.5, Y: 20, Low: ptr(18), High: ptr(22), Text: "grpc: 20"}, {X: 1, Missing: "it failed", Text: "grpc, 1"}, {X: 2, Y: 25, Text: "grpc: 25"}}},
			{Name: "http", Points: []Point{{X: 0.5, Y: 2000, Doubtful: true, Text: "http: 2000"}, {X: 1, Y: 30, Text: "http: 30"}}},
		}}
	}
	numbers := Axis{Label: "size", Scale: Log2, Ticks: []Tick{{0.5, "half"}, {1, "1"}, {2, "2"}}}
	names := Axis{Label: "host", Scale: Categories, Names: []string{"near", "far", "a very long name that no place of an axis is wide enough for"}}
	one := 1.0
	return []*Chart{
		value("value", numbers, Log10), value("linear", Axis{Label: "x", Scale: Linear}, Linear),
		value("bars", names, Linear), value("dots", names, Log10),
		{Kind: Percentiles, Name: "percentiles", Title: "p", X: Axis{Scale: Log10, Ticks: []Tick{{1, "0%"}, {10, "90%"}}}, Y: Axis{Scale: Log10, Label: "us"}, Series: []Series{
			{Name: "a", Points: []Point{{X: 1, Y: 10}, {X: 10, Y: 20, Text: "p90", Low: ptr(-1), High: ptr(30)}, {X: 50, Y: 900, Doubtful: true}}}}},
		{Kind: ECDF, Name: "ecdf", Title: "e", X: Axis{Scale: Linear}, Y: Axis{Scale: Linear}, Series: []Series{{Name: "a",
			Points: []Point{{X: 1, Y: 0.2, Low: ptr(0), High: ptr(0.4)}, {X: 3, Y: 1, Low: ptr(0.8), High: ptr(1)}}, Runs: [][]Point{{{X: 1, Y: 0.3}, {X: 2, Y: 1}}}}}},
		{Kind: CCDF, Name: "ccdf", Title: "c", X: Axis{Scale: Log10}, Y: Axis{Scale: Log10}, Series: []Series{{Name: "a", Points: []Point{{X: 1, Y: 1}, {X: 3, Y: 0.1, Low: ptr(-0.1), High: ptr(0.3)}, {X: 9, Y: 0.01, Doubtful: true}}}}},
		{Kind: Load, Name: "load", Title: "l", X: Axis{Scale: Linear, Marks: []Tick{{1500, "a limit"}, {1600, "another"}}}, Y: Axis{Scale: Log10}, Series: []Series{
			{Name: "a p50", Points: []Point{{X: 1000, Y: 10, Text: "a"}, {X: 2000, Y: 900, Doubtful: true, Why: "the rate was missed"}}}},
			Below: &Chart{Kind: Value, X: Axis{Scale: Linear}, Y: Axis{Scale: Linear}, Lines: []Line{{At: [][2]float64{{0, 0}, {2000, 2000}}}}, Series: []Series{{Name: "a", Points: []Point{{X: 1000, Y: 1000}, {X: 2000, Y: 1500}}}}}},
		{Kind: Strip, Name: "strip", Title: "s", X: Axis{Scale: Categories, Names: []string{"u", "v"}}, Y: Axis{Scale: Linear}, Series: []Series{
			{Name: "a", Points: []Point{{X: 0, Y: 5, Text: "a 1"}, {X: 0, Y: 6}}, Boxes: []Box{{X: 0, Median: 5.5, Low: ptr(5), High: ptr(6), Quartiles: &[2]float64{5, 6}, Whiskers: &[2]float64{4, 7}, Text: "a: 5.5"}}}}},
		{Kind: Windows, Name: "windows", Title: "w", X: Axis{Scale: Linear}, Y: Axis{Scale: Linear}, Series: []Series{{Name: "a", Points: []Point{{X: 0, Y: 1}}, Runs: [][]Point{{{X: 0, Y: 1}, {X: 1, Y: 2}, {X: 2, Missing: "empty"}, {X: 3, Y: 2}}}}},
			Lines: []Line{{Series: "a", At: [][2]float64{{0, 1}, {3, 1}}, Thick: true, Text: "a level"}}},
		{Kind: Pairs, Name: "pairs", Title: "p", X: Axis{Scale: Categories, Names: []string{"a", "b"}}, Y: Axis{Scale: Linear}, Series: []Series{{Name: "b", Points: []Point{{X: 0, Y: 5}, {X: 1, Y: 6}}}},
			Lines: []Line{{Series: "b", At: [][2]float64{{0, 5}, {1, 6}}}},
			Below: &Chart{Kind: Strip, X: Axis{Scale: Categories, Names: []string{"a", "b"}}, Y: Axis{Scale: Log2, Marks: []Tick{{At: 1}}}, Floor: 1.1, Series: []Series{{Name: "b", Points: []Point{{X: 1, Y: 1.2}}, Boxes: []Box{{X: 1, Median: 1.2}}}}}},
		{Kind: Value, Name: "loss", Title: "Loss", X: Axis{Scale: Log2}, Y: Axis{Scale: Log10}, Series: []Series{{Name: "a", Points: []Point{{X: 1, Y: 3e-5, Bound: true, Text: "a: at most"}, {X: 2, Y: 1e-3, Low: ptr(5e-4), High: ptr(2e-3)}}}}},
		{Kind: Runs, Name: "runs", Title: "r", X: Axis{Scale: Linear}, Y: Axis{Scale: Linear}, Series: []Series{{Name: "a", Points: []Point{{X: 1, Y: 5}, {X: 2, Y: 5}}}}},
		{Kind: Speedup, Name: "speedup", Title: "s", X: Axis{Scale: Log2}, Y: Axis{Scale: Categories, Names: []string{"a", "b"}}, Floor: 1.1, Totals: 1, Ends: "medians (us)", Series: []Series{
			{Name: "a", Points: []Point{{X: 1.5, Y: 0, Low: ptr(1.2), High: ptr(2), Text: "a", Verdict: Better, End: "12 and 8"}}}, {Name: "b", Points: []Point{{X: 0.4, Y: 1, Doubtful: true, Verdict: NotShown}}}}},
		{Kind: Heatmap, Name: "heatmap", Title: "h", X: Axis{Scale: Categories, Names: []string{"1", "2"}}, Y: Axis{Scale: Categories, Names: []string{"u", "v"}}, Z: Axis{Scale: Log2}, Center: &one, Series: []Series{
			{Name: "", Points: []Point{{Z: 2, Label: "2x", Note: "faster", Text: "u, 1: 2x"}, {X: 1, Y: 1, Z: 0.5, Label: "0.5x"}, {X: 1, Missing: "not measured", Label: "N/A", Text: "u, 2"}}}}},
		{Kind: Value, Name: "nothing", Title: "Nothing", X: Axis{Scale: Log10}, Y: Axis{Scale: Linear}},
	}
}

// wellFormed parses an SVG and returns the text in it.
func wellFormed(t *testing.T, svg string) string {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	var text strings.Builder
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return text.String()
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
		switch tok := tok.(type) {
		case xml.CharData:
			text.Write(tok)
		case xml.StartElement:
			if !slices.Contains([]string{"svg", "g", "path", "text", "rect", "title"}, tok.Name.Local) {
				t.Errorf("element %s", tok.Name.Local)
			}
			for _, a := range tok.Attr {
				if strings.HasPrefix(strings.ToLower(a.Name.Local), "on") || strings.Contains(a.Name.Local, "href") {
					t.Errorf("attribute %s=%q", a.Name.Local, a.Value)
				}
			}
		}
	}
}

func svgOf(t *testing.T, c *Chart, o Options) string {
	t.Helper()
	var b strings.Builder
	if err := SVG(&b, c, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Every kind is drawn, the same each time, and says its values.
func TestEveryKind(t *testing.T) {
	for _, c := range examples() {
		t.Run(c.Name, func(t *testing.T) {
			svg := svgOf(t, c, Options{})
			if svg != svgOf(t, c, Options{}) {
				t.Error("drawn twice, the SVG differs")
			}
			if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
				t.Error("a number that is none")
			}
			// A reader's machine may have another font, whose letters are wider.
			if texts, empty := strings.Count(svg, "<text "), strings.Count(svg, "\"></text>"); strings.Count(svg, "<text textLength=") != texts-empty {
				t.Errorf("texts without a width: %s", svg)
			}
			text := wellFormed(t, svg)
			for _, s := range c.Series {
				for _, p := range s.Points {
					if p.Missing == "" && !strings.Contains(text, p.Text) {
						t.Errorf("%q is not said", p.Text)
					}
				}
			}
			if missing := c.Missing(); len(missing) > 0 && !strings.Contains(text, "Not drawn: "+missing[0]) {
				t.Errorf("what is missing is not said: %s", text)
			}
		})
	}
}

// The PNG, too, is the same each time. (Two kinds only: drawing one is slow with
// the race detector.)
func TestPNG(t *testing.T) {
	for _, c := range examples() {
		if c.Name != "bars" && c.Name != "percentiles" {
			continue
		}
		var a, b bytes.Buffer
		for _, w := range []io.Writer{&a, &b} {
			if err := PNG(w, c, Options{}); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%s: drawn twice, the PNG differs", c.Name)
		}
		if img, err := png.Decode(&a); err != nil || img.Bounds().Dx() != int(sheetWidth)*192/72+1 && img.Bounds().Dx() != int(sheetWidth)*192/72 {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
}

// Inline, the page has title and notes.
func TestInline(t *testing.T) {
	c := examples()[0]
	svg := svgOf(t, c, Options{Inline: true})
	if strings.HasPrefix(svg, "<?xml") || strings.Contains(wellFormed(t, svg), "Medians.") {
		t.Error(svg)
	}
	if !strings.Contains(svg, `role="img" aria-label="Latency. Values of mean (us) over size: grpc, http."`) {
		t.Errorf("%.300s", svg)
	}
}

const hostile = `</text><script>alert(1)</script>"'&<svg onload=x> ` + "\x00\x1b[31m\u202e\xff" + ` style="font-family:Liberation Sans;`

// Text from outside is text.
func TestHostileText(t *testing.T) {
	for _, c := range examples() {
		c.Name, c.Title, c.X.Label, c.Y.Label = hostile, hostile, hostile, hostile
		c.Notes = append(c.Notes, hostile)
		for i := range c.X.Names {
			c.X.Names[i] = hostile
		}
		for i := range c.Y.Names {
			c.Y.Names[i] = hostile
		}
		for i := range c.X.Ticks {
			c.X.Ticks[i].Text = hostile
		}
		for i := range c.X.Marks {
			c.X.Marks[i].Text = hostile
		}
		for i := range c.Lines {
			c.Lines[i].Text = hostile
		}
		c.Ends = hostile
		for i := range c.Series {
			c.Series[i].Name = hostile + fmt.Sprint(i)
			for j := range c.Series[i].Points {
				p := &c.Series[i].Points[j]
				p.Text, p.Label = hostile, hostile
				if p.Missing != "" {
					p.Missing = hostile
				}
				p.Why, p.End, p.Note = hostile, hostile, hostile
			}
			for j := range c.Series[i].Boxes {
				c.Series[i].Boxes[j].Text = hostile
			}
		}
		for _, inline := range []bool{false, true} {
			wellFormed(t, svgOf(t, c, Options{Inline: inline}))
		}
	}
	c := examples()[0]
	c.Title, c.Series[0].Name = hostile, hostile
	if err := PNG(io.Discard, c, Options{}); err != nil {
		t.Error(err)
	}
}

// A long text makes no large picture.
func TestLongText(t *testing.T) {
	c := examples()[0]
	short, err := layout(c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	c.Title, c.Notes = strings.Repeat("word ", 100000), []string{strings.Repeat("w", 100000), strings.Repeat("note ", 100000)}
	long, err := layout(c, Options{})
	if err != nil || long.height > short.height+200 {
		t.Errorf("%v pt high instead of %v: %v", long.height, short.height, err)
	}
	if last := long.title[len(long.title)-1]; len(long.title) != maxTitle || !strings.HasSuffix(last, "…") {
		t.Errorf("%q", long.title)
	}
}

func TestRefused(t *testing.T) {
	many := &Chart{Kind: Value, Series: make([]Series, MaxSeries+1)}
	log := &Chart{Kind: Value, X: Axis{Scale: Log2}, Series: []Series{{Name: "a", Points: []Point{{X: 0, Y: 1}}}}}
	nan := &Chart{Kind: Value, Series: []Series{{Name: "a", Points: []Point{{X: 0, Y: math.NaN()}}}}}
	rows := &Chart{Kind: Speedup, Y: Axis{Names: make([]string, maxRows+1)}}
	points := &Chart{Kind: Runs, Series: []Series{{Name: "a", Points: make([]Point, MaxPoints+1)}}}
	for i, c := range []*Chart{many, log, nan, rows, points} {
		if err := SVG(io.Discard, c, Options{}); err == nil {
			t.Errorf("%d was drawn", i)
		}
	}
}

// A series looks the same whatever others there are, as long as none of them
// takes its place; and no two are alike.
func TestIdentities(t *testing.T) {
	var names []string
	for i := range MaxSeries {
		names = append(names, fmt.Sprintf("backend %d", i))
	}
	all := Identities(names)
	seen := map[Identity]string{}
	for name, id := range all {
		if other, ok := seen[id]; ok {
			t.Errorf("%q looks like %q", name, other)
		}
		seen[id] = name
	}
	for i := range 4 {
		colors := map[int]bool{}
		for _, id := range Identities(names[i*8 : i*8+8]) {
			colors[id.color] = true
		}
		if len(colors) != 8 {
			t.Errorf("eight series have %d colours", len(colors))
		}
	}
	alone := Identities([]string{"zenoh"})["zenoh"]
	if again := Identities([]string{"zenoh", "zenoh"})["zenoh"]; again != alone {
		t.Error("a name twice looks different")
	}
	if alone != (Identity{home("zenoh"), home("zenoh")}) {
		t.Error("a name alone is not at its place")
	}
	reversed := slices.Clone(names)
	slices.Reverse(reversed)
	for name, id := range Identities(reversed) {
		if all[name] != id {
			t.Errorf("the order of the series changes how %q looks", name)
		}
	}
}

// Each colour can be seen on white (WCAG 1.4.11: 3 to 1).
func TestContrast(t *testing.T) {
	for _, c := range palette {
		if r := 1.05 / (luminance(c) + 0.05); r < 3 {
			t.Errorf("%v has a contrast of %.2f", c, r)
		}
	}
	last := 2.0
	for _, c := range ramp {
		if l := luminance(c); l >= last {
			t.Errorf("%v is no darker than the one before", c)
		} else {
			last = l
		}
	}
}

// Bars begin at 0, and linear values too; a logarithmic axis has no bars.
func TestSpans(t *testing.T) {
	for _, c := range examples() {
		s, err := layout(c, Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, y := s.spans()
		if s.bars() && y.low != 0 {
			t.Errorf("%s: bars begin at %v", c.Name, y.low)
		}
		if s.bars() && c.Y.Scale.log() {
			t.Errorf("%s: bars on a logarithmic axis", c.Name)
		}
		if s.lines() && c.X.Scale == Categories {
			t.Errorf("%s: a line through categories", c.Name)
		}
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		s     span
		scale Scale
		want  string
	}{
		{span{0, 95}, Linear, "0 20 40 60 80"},
		{span{-0.5, 0.5}, Linear, "-0.4 -0.2 0.0 0.2 0.4"},
		{span{0, 0.013}, Linear, "0.000 0.005 0.010"},
		{span{0, 123456}, Linear, "0 50,000 100,000"},
		{span{10, 20000}, Log10, "10 100 1000 10,000"},
		{span{15, 90}, Log10, "20 40 60 80"},
		{span{0.4, 4.5}, Log2, "0.5 1 2 4"},
		{span{0.9, 1.3}, Log2, "0.9 1.0 1.1 1.2 1.3"},
		{span{1e-12, 1e12}, Log10, "1e-12 1e-09 1e-06 0.001 1 1000 1,000,000 1e+09 1e+12"},
	} {
		var got []string
		for _, tick := range numberTicks(c.s, c.scale) {
			if tick.Label != "" {
				got = append(got, tick.Label)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%v %s: %v, want %s", c.s, c.scale, got, c.want)
		}
	}
}

// Whatever the numbers are, the chart is drawn or refused, and is well formed.
func FuzzNumbers(f *testing.F) {
	f.Add(1.0, 2.0, 3.0, 4.0, uint8(0))
	f.Add(1e-300, 1e300, -1.0, 0.0, uint8(3))
	f.Add(5e-324, 1.7e308, math.Inf(1), math.NaN(), uint8(7))
	f.Fuzz(func(t *testing.T, a, b, low, high float64, which uint8) {
		all := examples()
		c := all[int(which)%len(all)]
		for i := range c.Series {
			for j := range c.Series[i].Points {
				p := &c.Series[i].Points[j]
				p.X, p.Y, p.Z, p.Low, p.High = a, b, a, &low, &high
				a, b = b, a
			}
			c.Series[i].Runs = [][]Point{{{X: a, Y: b}, {X: b, Y: a, Doubtful: true}}}
			c.Series[i].Boxes = []Box{{X: a, Median: b, Low: &low, High: &high, Quartiles: &[2]float64{low, high}, Whiskers: &[2]float64{a, b}}}
		}
		c.Lines = []Line{{At: [][2]float64{{a, b}, {low, high}}}}
		c.X.Marks, c.Floor = []Tick{{At: low, Text: "a mark"}, {At: high, Text: "another"}}, high
		var svg strings.Builder
		if err := SVG(&svg, c, Options{}); err != nil {
			return
		}
		if strings.Contains(svg.String(), "NaN") || strings.Contains(svg.String(), "Inf") {
			t.Errorf("%v %v %v %v", a, b, low, high)
		}
	})
}
