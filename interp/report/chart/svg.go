package chart

import (
	"fmt"
	"html"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// vector is a canvas that remembers how wide each text is in the layout.
type vector struct {
	*vgsvg.Canvas
	widths []vg.Length // in the order of the texts
}

// FillString draws a text.
func (v *vector) FillString(face font.Face, at vg.Point, txt string) {
	v.widths = append(v.widths, text.Style{Font: face.Font, Handler: handler}.Width(txt))
	v.Canvas.FillString(face, at, txt)
}

const (
	fontWritten = `style="font-family:Liberation Sans;`
	fontWanted  = `style="font-family:'Liberation Sans',Arimo,Helvetica,Arial,sans-serif;`
)

// fitted gives each text of an SVG the width that it has in the layout: in the
// font that a reader's machine has instead it would be wider, and run into its
// neighbours.
func fitted(svg string, widths []vg.Length) string {
	const begin = "<text "
	parts := strings.Split(svg, begin)
	if len(parts) != len(widths)+1 {
		return svg
	}
	var b strings.Builder
	b.WriteString(parts[0])
	for i, part := range parts[1:] {
		b.WriteString(begin)
		if widths[i] > 0 {
			fmt.Fprintf(&b, `textLength="%.1f" lengthAdjust="spacingAndGlyphs" `, float64(widths[i]))
		}
		b.WriteString(part)
	}
	return b.String()
}

// dress turns what the canvas wrote into an SVG that says what it shows, has
// fonts on any machine, and answers the pointer. Texts in it are escaped, so
// that none of them can look like a style.
func (s *sheet) dress(svg string, widths []vg.Length) string {
	from := strings.Index(svg, "<svg")
	to := strings.Index(svg, ">\n<g") + 1
	end := strings.LastIndex(svg, "</svg>")
	var b strings.Builder
	size := ""
	if !s.inline {
		b.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
		size = fmt.Sprintf(` width="%gpt" height="%gpt"`, float64(s.width), float64(s.height))
	}
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg"%s viewBox="0 0 %g %g" role="img" aria-label="%s">`,
		size, float64(s.width), float64(s.height), html.EscapeString(printable(s.Describe())))
	if from < 0 || to <= 0 || end < to { // not as the canvas writes
		return svg
	}
	b.WriteString(fitted(strings.ReplaceAll(svg[to:end], fontWritten, fontWanted), widths))
	if len(s.spots) > 0 {
		b.WriteString("<g fill=\"#000\" fill-opacity=\"0\">\n")
		for _, p := range s.spots {
			fmt.Fprintf(&b, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>%s</title></rect>\n",
				float64(p.min.X), float64(s.height-p.max.Y), float64(p.max.X-p.min.X), float64(p.max.Y-p.min.Y), html.EscapeString(printable(p.text)))
		}
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// Describe says in a sentence what the chart shows, for who can't see it.
func (c *Chart) Describe() string {
	what := map[Kind]string{
		Value: "Values", Load: "Latencies over the offered rate", Percentiles: "Percentiles", ECDF: "Cumulative distributions",
		CCDF: "Shares of messages beyond each latency", Strip: "Values of single runs", Runs: "Values of single runs in the order of time",
		Windows: "Latencies along each run", Speedup: "Ratios to the baseline", Pairs: "Pairs of runs", Heatmap: "A heat map",
	}[c.Kind]
	text := fmt.Sprintf("%s. %s of %s", c.Title, what, c.Y.Label)
	switch {
	case c.Kind == Speedup:
		text = fmt.Sprintf("%s. %s", c.Title, what)
	case c.Kind == Heatmap:
		text = fmt.Sprintf("%s. %s of %s over %s and %s", c.Title, what, c.Z.Label, c.X.Label, c.Y.Label)
	case c.X.Label != "":
		text += " over " + c.X.Label
	}
	var names []string
	for _, s := range c.Series {
		if s.Name != "" {
			names = append(names, s.Name)
		}
	}
	if len(names) > 0 {
		text += ": " + strings.Join(names, ", ")
	}
	return text + "."
}
