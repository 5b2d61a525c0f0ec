package report

import (
	"fmt"
	"math"
	"strings"

	"versus/interp/report/chart"
)

// chartLine says what a chart would show.
func chartLine(c *chart.Chart) string {
	const most = 160 // letters of a reason; tables have it whole
	text := fmt.Sprintf("%s: %s (%s, %d points", c.Name, c.Title, c.Kind, c.Drawn())
	if missing := c.Missing(); len(missing) > 0 {
		why := []rune(missing[0])
		if len(why) > most {
			why = append(why[:most], '…')
		}
		text += fmt.Sprintf(", %d not drawn: %s", len(missing), string(why))
	}
	return text + ")"
}

// sketch draws what a terminal can show of a chart, a line a series: runs in
// order as a sparkline, and places of a strip as a box.
func (t *textWriter) sketch(c *chart.Chart) {
	switch c.Kind {
	case chart.Runs:
		for _, s := range c.Series {
			if line, text := sparkline(s.Points); line != "" {
				t.wrap("    ", strings.Join([]string{line, clean(s.Name), text}, " "))
			}
		}
	case chart.Strip:
		low, high := stripSpan(c)
		for _, s := range c.Series {
			for _, x := range s.Boxes {
				t.line("    " + boxLine(x, low, high) + " " + clean(x.Text))
			}
		}
	}
}

// maxSpark is how many runs fit in a sparkline.
const maxSpark = 60

// sparkline draws the values of runs between their least and their largest: ○ is
// a run that does not count, × one without a value. It says the ends.
func sparkline(points []chart.Point) (line, text string) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range points {
		if p.Missing == "" && !p.Doubtful {
			low, high = min(low, p.Y), max(high, p.Y)
		}
	}
	if low > high {
		return "", ""
	}
	left := 0
	if len(points) > maxSpark {
		left = len(points) - maxSpark
		points = points[:maxSpark]
	}
	bars := []rune("▁▂▃▄▅▆▇█")
	var b strings.Builder
	for _, p := range points {
		switch {
		case p.Missing != "":
			b.WriteRune('×')
		case p.Doubtful:
			b.WriteRune('○')
		case high == low:
			b.WriteRune(bars[3])
		default:
			b.WriteRune(bars[int(math.Round((p.Y-low)/(high-low)*float64(len(bars)-1)))])
		}
	}
	if left > 0 {
		fmt.Fprintf(&b, "… (%d more)", left)
	}
	st := styleOf("number", []float64{low, high})
	if low == high {
		return b.String(), st.print(low)
	}
	return b.String(), st.print(low) + " to " + st.print(high)
}

const boxWidth = 40

// stripSpan is what the boxes of a strip lie between.
func stripSpan(c *chart.Chart) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	add := func(v float64) { low, high = min(low, v), max(high, v) }
	for _, s := range c.Series {
		for _, p := range s.Points {
			if p.Missing == "" {
				add(p.Y)
			}
		}
		for _, x := range s.Boxes {
			add(x.Median)
			if x.Whiskers != nil {
				add(x.Whiskers[0])
				add(x.Whiskers[1])
			}
		}
	}
	return low, high
}

// boxLine draws a box: ├ ┤ are whiskers, [ ] quartiles, ( ) the interval of the
// median, which is at ┃.
func boxLine(x chart.Box, low, high float64) string {
	line := []rune(strings.Repeat(" ", boxWidth))
	at := func(v float64) int {
		if !(high > low) {
			return boxWidth / 2
		}
		return min(max(int(math.Round((v-low)/(high-low)*(boxWidth-1))), 0), boxWidth-1)
	}
	span := func(ends *[2]float64, left, fill, right rune) {
		if ends == nil {
			return
		}
		a, b := at(ends[0]), at(ends[1])
		for i := a; i <= b; i++ {
			line[i] = fill
		}
		line[a], line[b] = left, right
	}
	span(x.Whiskers, '├', '─', '┤')
	span(x.Quartiles, '[', '=', ']')
	if x.Low != nil && x.High != nil {
		a, b := at(*x.Low), at(*x.High)
		line[a], line[b] = '(', ')'
	}
	line[at(x.Median)] = '┃'
	return string(line)
}
