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
// colour. The drawing is gonum.org/v1/plot's; the PNG has Latin, Greek and
// Cyrillic letters only, the SVG whatever the reader's fonts have.
package chart

import (
	"fmt"
	"math"
	"strings"
	"unicode"
)

// Kind says how a chart is drawn.
type Kind string

// The kinds of charts.
const (
	Value       Kind = "value"       // y over x, with intervals
	Percentiles Kind = "percentiles" // x is 1/(1-p)
	ECDF        Kind = "ecdf"        // y is the share of messages up to x
	Runs        Kind = "runs"        // y of each run, x counts runs in the order of time
	Speedup     Kind = "speedup"     // x is a ratio around 1, y the row
	Heatmap     Kind = "heatmap"     // x is the column, y the row, z the colour
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
	MaxPoints = 20000
	maxRows   = 200 // of a speedup or a heatmap, and columns
	maxTitle  = 3   // lines
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
	// Floor is the noise floor of a speedup as a ratio, 0 if there is none.
	Floor float64
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
}

// Tick is a place on an axis with its label.
type Tick struct {
	At   float64
	Text string
}

// Series is what has one colour and one marker.
type Series struct {
	Name   string
	Points []Point
}

// Point is one value, or the reason why there is none.
type Point struct {
	X, Y, Z float64
	// Low and High are the ends of the interval, of X in a speedup and of Y in
	// other kinds; nil if there is none.
	Low, High *float64
	// Missing says why the point is not drawn; only Text is set then, and X where
	// it leaves a gap.
	Missing string
	// Doubtful points are drawn hollow, and lines to them dashed: few samples, or
	// no verdict.
	Doubtful bool
	// Text says in words what and how much: "zenoh, 1024: 12.3 us".
	Text string
	// Label is the number on a field of a heatmap.
	Label string
}

// Drawn counts the points that are drawn.
func (c *Chart) Drawn() int {
	n := 0
	for _, s := range c.Series {
		for _, p := range s.Points {
			if p.Missing == "" {
				n++
			}
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

// check says why a chart can't be drawn.
func (c *Chart) check() error {
	points := 0
	for _, s := range c.Series {
		points += len(s.Points)
		for _, p := range s.Points {
			if p.Missing == "" && !c.drawable(p) {
				return fmt.Errorf("chart %q: %s has no place on its axes", c.Name, p.Text)
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

// drawable says whether a point has a place on the axes: a finite number, on a
// logarithmic axis above 0, and not so large or small that computing with it
// leaves the range of numbers.
func (c *Chart) drawable(p Point) bool {
	const most = 1e100
	for _, v := range []*float64{&p.X, &p.Y, &p.Z, p.Low, p.High} {
		if v != nil && !(math.Abs(*v) <= most) {
			return false
		}
	}
	return (!c.X.Scale.log() || p.X >= 1/most) && (!c.Y.Scale.log() || p.Y >= 1/most)
}

// printable makes text from outside fit for a picture: what is no visible
// character, or would turn the direction of text, becomes one that says so.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Cs, unicode.Co) || r == 0xFFFE || r == 0xFFFF {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(s, string(unicode.ReplacementChar)))
}
