package report

import (
	"math"
	"strconv"
	"strings"

	"versus/interp/analyze"
)

// significant is the number of significant digits of a number printed alone.
const significant = 4

// style says how the numbers of a column are printed.
type style struct {
	format   string // percent, ratio, number
	decimals int    // -1: each number by itself
	given    bool   // the scenario says how many decimals
}

// styleOf chooses how to print a column, so that its numbers can be compared
// down the column: the smallest shows three digits. Where the numbers lie too
// far apart for that, each is printed by itself.
func styleOf(format string, values []float64) style {
	smallest, largest, whole := math.Inf(1), 0.0, true
	for _, v := range values {
		a := math.Abs(v)
		if a > 0 {
			smallest, largest = min(smallest, a), max(largest, a)
		}
		whole = whole && v == math.Trunc(v)
	}
	switch {
	case format == "percent":
		if largest >= 0.0995 { // prints as 10% or more
			return style{format: format, decimals: 0}
		}
		return style{format: format, decimals: 1}
	case format == "ratio" || largest == 0:
		return style{format: format, decimals: -1}
	case whole && largest < 1e15:
		return style{format: format, decimals: 0}
	case largest/smallest > 1000 || largest >= 1e9 || smallest < 1e-4:
		return style{format: format, decimals: -1}
	}
	return style{format: format, decimals: decimals(smallest, 3)}
}

// decimals is how many decimals give v that many significant digits.
func decimals(v float64, digits int) int {
	if v == 0 {
		return 0
	}
	return max(0, digits-1-int(math.Floor(math.Log10(math.Abs(v)))))
}

// print prints a finite number.
func (s style) print(v float64) string {
	return s.printLike(v, v)
}

// printLike prints v with the digits that like would have: the ends of an
// interval like its value.
func (s style) printLike(v, like float64) string {
	switch s.format {
	case "percent":
		d := s.decimals
		if d == 0 && v != 0 && math.Abs(v) < 0.01 {
			d = 1
		}
		return fixed(v*100, max(d, 0)) + "%"
	}
	unit := ""
	if s.format == "ratio" {
		unit = "x"
	}
	if s.decimals >= 0 {
		return fixed(v, s.decimals) + unit
	}
	return alone(v, like) + unit
}

// alone prints a number without regard to its column.
func alone(v, like float64) string {
	a := math.Abs(like)
	switch {
	case a == 0 && v == 0:
		return "0"
	case a != 0 && (a >= 1e15 || a < 1e-4):
		return strconv.FormatFloat(v, 'e', significant-1, 64)
	case v == like && v == math.Trunc(v):
		return fixed(v, 0)
	}
	return fixed(v, decimals(like, significant))
}

// fixed prints with that many decimals, thousands grouped, and zero without a
// sign.
func fixed(v float64, decimals int) string {
	s := strconv.FormatFloat(math.Abs(v), 'f', decimals, 64)
	whole, fraction := s, ""
	if i := strings.IndexByte(s, '.'); i >= 0 {
		whole, fraction = s[:i], s[i:]
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if v < 0 && strings.Trim(s, "0.") != "" {
		whole = "-" + whole
	}
	return whole + fraction
}

// following prints as many digits as an interval supports, unless the scenario
// says how many. Very large and small numbers keep their own form.
func (s style) following(in analyze.Interval) style {
	scale := 1.0
	if s.format == "percent" {
		scale = 100
	}
	size := math.Max(math.Abs(in.Low), math.Abs(in.High)) * scale
	if s.given || size >= 1e9 || size < 1e-4 {
		return s
	}
	s.decimals = intervalDigits(in.Low*scale, in.High*scale)
	return s
}

// intervalDigits is how many decimals an interval supports: two significant
// digits of its width, at most six decimals.
func intervalDigits(low, high float64) int {
	width := math.Abs(high - low)
	if width == 0 || math.IsInf(width, 0) || math.IsNaN(width) {
		return decimals(math.Max(math.Abs(low), 1e-6), significant)
	}
	return min(decimals(width, 2), 6)
}
