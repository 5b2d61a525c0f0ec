package chart

import (
	"image/color"
	"strings"
	"unicode"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

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

func fontOf(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

func style(size vg.Length, c color.Color) text.Style {
	return text.Style{Color: c, Font: fontOf(size), Handler: handler}
}

// wrap breaks a text into lines of a width, most of them at most; an ellipsis
// stands for the rest.
func wrap(st text.Style, s string, width vg.Length, most int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		word = shorten(st, word, width)
		switch {
		case len(lines) == most-1 && line != "" && st.Width(line+" "+word) > width:
			return append(lines, shorten(st, line+" "+word, width))
		case line == "":
			line = word
		case st.Width(line+" "+word) <= width:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// shorten cuts a text that is too wide, and says so by an ellipsis.
func shorten(st text.Style, s string, width vg.Length) string {
	const most = 400 // letters; no text that fits has more
	r := []rune(s)
	if len(r) <= most && st.Width(s) <= width {
		return s
	}
	low, high := 0, min(len(r), most)
	for low < high {
		mid := (low + high + 1) / 2
		if st.Width(string(r[:mid])+"…") <= width {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return string(r[:low]) + "…"
}
