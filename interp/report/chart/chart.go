// Package chart draws charts as SVG and PNG. It knows what a chart shows as
// plain data: series of points with intervals, axes, and what the reader must
// know. Where the data comes from is the business of package report.
//
// It follows the conventions of statistical charts: bars begin at 0, a
// logarithmic axis says so, only what lies on a scale is connected, an interval
// is drawn with every point that has one, and a series looks the same wherever
// its name appears (identity.go). The same chart gives the same bytes.
//
// The picture is dark ink on white, so that it can be read on a page of any
// colour. The drawing is gonum.org/v1/plot's. It brings a font with Latin, Greek
// and Cyrillic letters; for others a PNG takes a font of this machine, and an SVG
// one of the reader's (letters.go).
package chart

import (
	"fmt"
	"iter"
	"math"
)

// Kind says how a chart is drawn.
type Kind string

// The kinds of charts.
const (
	Value       Kind = "value"       // y over x, with intervals
	Load        Kind = "load"        // latency over the offered rate, the achieved rate below
	Percentiles Kind = "percentiles" // x is 1/(1-p)
	ECDF        Kind = "ecdf"        // y is the share of messages up to x
	CCDF        Kind = "ccdf"        // y is the share of messages beyond x
	Strip       Kind = "strip"       // y of each run, x is what the runs are of
	Runs        Kind = "runs"        // y of each run, x counts runs in the order of time
	Windows     Kind = "windows"     // y along each run, x is the time since it began
	Speedup     Kind = "speedup"     // x is a ratio around 1, y the row
	Pairs       Kind = "pairs"       // y of both runs of each pair, their ratios below
	Heatmap     Kind = "heatmap"     // x is the column, y the row, z the colour
)

// Verdict is what may be said of a ratio.
type Verdict string

// The verdicts. None is that of what is no ratio of a pair.
const (
	None      Verdict = ""
	Better    Verdict = "better"
	Worse     Verdict = "worse"
	NotShown  Verdict = "no difference is shown"
	NoVerdict Verdict = "no verdict" // too few runs, or no test
)

// Scale is that of an axis.
type Scale string

// The scales. Categories are at 0, 1, 2, ...
const (
	Linear     Scale = "linear"
	Log2       Scale = "log2"
	Log10      Scale = "log10"
	Categories Scale = "categories"
)

func (s Scale) log() bool { return s == Log2 || s == Log10 }

// Limits of what is drawn: more can't be told apart, or takes too long.
const (
	MaxSeries = len(palette) * len(markers)
	MaxPoints = 50000
	maxRows   = 200 // of a speedup or a heatmap, and columns
	maxMarks  = 100
	maxTitle  = 3 // lines
	maxNotes  = 12
)

// Chart is everything that a chart shows.
type Chart struct {
	Kind        Kind
	Name, Title string
	X, Y        Axis
	// Z is the scale of the colours of a heatmap. Center, if there is one, is the
	// value that is neither high nor low.
	Z      Axis
	Center *float64
	Series []Series // in the order of the plan
	Lines  []Line   // over the points
	// Below is a second panel under the first, with the same places on X.
	Below *Chart
	// Floor is the noise floor of ratios, 0 if there is none.
	Floor float64
	// Totals is how many of the last rows of a speedup sum the others up. Ends is
	// the heading of what stands at the ends of its rows.
	Totals int
	Ends   string
	// Notes say what the points and intervals are.
	Notes []string
}

// Axis is one axis.
type Axis struct {
	Label string
	Scale Scale
	// Names are those of the categories.
	Names []string
	// Ticks are the places on a scale that were measured, if they are few.
	Ticks []Tick
	// Marks are hairlines across the chart: limits, capacities, blocks of runs.
	// They may have no text.
	Marks []Tick
}

// Tick is a place on an axis with its label.
type Tick struct {
	At   float64
	Text string
}

// Series is what has one colour and one marker.
type Series struct {
	Name string
	// Of is the series whose colour and marker it has, if not its own, and Dash
	// tells the lines of these apart, from 0.
	Of     string
	Dash   int
	Points []Point
	// Runs are curves of the same of each run alone, drawn thin.
	Runs [][]Point
	// Boxes sum points of a place up.
	Boxes []Box
}

// like is the name that gives the series its look.
func (s Series) like() string { return orElse(s.Of, s.Name) }

// Point is one value, or the reason why there is none.
type Point struct {
	X, Y, Z float64
	// Low and High are the ends of the interval, of X in a speedup and of Y in
	// other kinds; nil if there is none. Along a curve they are a band.
	Low, High *float64
	// Missing says why the point is not drawn; only Text is set then, and X where
	// it leaves a gap.
	Missing string
	// Doubtful points are drawn hollow, and curves of them dashed: few samples, no
	// verdict, or a run that does not count. Why says it in the legend, if set.
	Doubtful bool
	Why      string
	// Bound says that Y is only the upper end of what it can be.
	Bound bool
	// Verdict gives a ratio its colour.
	Verdict Verdict
	// Text says in words what and how much: "zenoh, 1KiB: 12.3 us".
	Text string
	// Label is the number on a field of a heatmap, and Note the line under it.
	Label, Note string
	// End stands at the end of the row of a speedup.
	End string
}

// Box sums the values of one place up.
type Box struct {
	X, Median float64
	// Low and High are the interval of the median; nil if there is none.
	Low, High *float64
	// Quartiles and Whiskers are each two values of Y, or nil.
	Quartiles, Whiskers *[2]float64
	Text                string
}

// Line connects places: a trend, a pair, a level, a diagonal.
type Line struct {
	// Series gives it its colour; a line of no series is grey.
	Series string
	At     [][2]float64 // X and Y
	Thick  bool
	Text   string
}

// Drawn counts the points that are drawn; where there are none, those of
// single runs, and boxes.
func (c *Chart) Drawn() int {
	points, others := 0, 0
	for _, s := range c.Series {
		points += count(s.Points)
		others += len(s.Boxes)
		for _, run := range s.Runs {
			others += count(run)
		}
	}
	if points == 0 {
		return others
	}
	return points
}

func count(points []Point) int {
	n := 0
	for _, p := range points {
		if p.Missing == "" {
			n++
		}
	}
	return n
}

// Missing lists what is not drawn, with the reasons.
func (c *Chart) Missing() []string {
	var out []string
	for _, s := range c.Series {
		for _, p := range s.Points {
			if p.Missing != "" {
				out = append(out, p.Text+": "+p.Missing)
			}
		}
	}
	return out
}

// Values are the texts of all that is drawn, of the panel below too.
func (c *Chart) Values() []string {
	var out []string
	add := func(text string) {
		if text != "" {
			out = append(out, text)
		}
	}
	for ; c != nil; c = c.Below {
		for _, s := range c.Series {
			for _, p := range s.Points {
				if p.Missing == "" {
					add(p.Text)
				}
			}
			for _, b := range s.Boxes {
				add(b.Text)
			}
		}
		for _, l := range c.Lines {
			add(l.Text)
		}
	}
	return out
}

// places are all places that are drawn, whatever is there.
func (c *Chart) places() iter.Seq[Point] {
	return func(yield func(Point) bool) {
		for _, s := range c.Series {
			for _, list := range append([][]Point{s.Points}, s.Runs...) {
				for _, p := range list {
					if p.Missing == "" && !yield(p) {
						return
					}
				}
			}
			for _, b := range s.Boxes {
				p := Point{X: b.X, Y: b.Median, Low: b.Low, High: b.High, Text: b.Text}
				if !yield(p) {
					return
				}
				for _, ends := range []*[2]float64{b.Quartiles, b.Whiskers} {
					if ends != nil {
						if p.Low, p.High = &ends[0], &ends[1]; !yield(p) {
							return
						}
					}
				}
			}
		}
		for _, l := range c.Lines {
			for _, at := range l.At {
				if !yield(Point{X: at[0], Y: at[1], Text: orElse(l.Text, "a line")}) {
					return
				}
			}
		}
	}
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// check says why a chart can't be drawn.
func (c *Chart) check() error {
	if c.Below != nil {
		if err := c.Below.check(); err != nil {
			return err
		}
	}
	points := 0
	for p := range c.places() {
		points++
		if !c.drawable(p) {
			return fmt.Errorf("chart %q: %s has no place on its axes", c.Name, p.Text)
		}
	}
	for _, a := range []Axis{c.X, c.Y} {
		if len(a.Marks) > maxMarks {
			return fmt.Errorf("chart %q has %d marks on an axis; it may have %d", c.Name, len(a.Marks), maxMarks)
		}
		for _, m := range a.Marks {
			if !a.holds(m.At) {
				return fmt.Errorf("chart %q: the mark %q has no place on its axis", c.Name, m.Text)
			}
		}
	}
	switch {
	case c.Kind != Heatmap && len(c.Series) > MaxSeries:
		return fmt.Errorf("chart %q has %d series; no more than %d can be told apart: choose some with where", c.Name, len(c.Series), MaxSeries)
	case points > MaxPoints:
		return fmt.Errorf("chart %q has %d points, more than %d: choose some with where", c.Name, points, MaxPoints)
	case len(c.Y.Names) > maxRows || len(c.X.Names) > maxRows:
		return fmt.Errorf("chart %q has %d x %d places; an axis may have %d: choose some with where", c.Name, len(c.X.Names), len(c.Y.Names), maxRows)
	}
	return nil
}

// drawable says whether a point has a place on the axes.
func (c *Chart) drawable(p Point) bool {
	for _, v := range []*float64{&p.Z, p.Low, p.High} { // the end of an interval may be beyond a logarithmic axis
		if v != nil && !(Axis{}).holds(*v) {
			return false
		}
	}
	return c.X.holds(p.X) && c.Y.holds(p.Y)
}

// holds says whether a value has a place on the axis: a finite number, on a
// logarithmic axis above 0, and not so large or small that computing with it
// leaves the range of numbers.
func (a Axis) holds(v float64) bool {
	const most = 1e100
	return math.Abs(v) <= most && (!a.Scale.log() || v >= 1/most)
}
