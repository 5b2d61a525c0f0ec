package chart

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// span is a range of values to show.
type span struct{ low, high float64 }

func empty() span { return span{math.Inf(1), math.Inf(-1)} }

func (s *span) add(v float64) { s.low, s.high = min(s.low, v), max(s.high, v) }

// padded is the range of an axis that shows the values of s with some room.
// A logarithmic axis shows no value of 0 or less.
func (s span) padded(scale Scale) span {
	switch {
	case s.low > s.high && scale.log():
		return span{1, 10}
	case s.low > s.high:
		return span{0, 1}
	case scale.log():
		room := max(math.Pow(s.high/s.low, 0.05), 1.05)
		if s.low == s.high {
			room = 2
		}
		return span{s.low / room, s.high * room}
	}
	room := (s.high - s.low) * 0.05
	switch size := max(math.Abs(s.low), math.Abs(s.high)); {
	case size < 1e-100:
		room = 1
	case room < size*1e-12:
		room = size * 0.1
	}
	out := span{s.low - room, s.high + room}
	if s.low == 0 { // from 0 means from 0
		out.low = 0
	}
	return out
}

// set makes an axis of the drawing. length is about how long it will be.
func (a Axis) set(to *plot.Axis, s span, length vg.Length, vertical bool) {
	to.Min, to.Max = s.low, s.high
	if a.Scale.log() {
		to.Scale = logScale{}
	}
	var ticks []plot.Tick
	switch {
	case a.Scale == Categories:
		for i, name := range a.Names {
			ticks = append(ticks, plot.Tick{Value: float64(i), Label: printable(name)})
		}
		to.Tick.Length = 0
	case len(a.Ticks) > 0:
		for _, t := range a.Ticks {
			ticks = append(ticks, plot.Tick{Value: t.At, Label: printable(t.Text)})
		}
	default:
		ticks = numberTicks(s, a.Scale)
	}
	if vertical {
		to.Tick.Marker = plot.ConstantTicks(ticks)
		return
	}
	room := length / vg.Length(max(1, len(a.Names)))
	if a.Scale == Categories {
		for i := range ticks {
			ticks[i].Label = shorten(to.Tick.Label, ticks[i].Label, max(room-4, 12))
		}
	}
	to.Tick.Marker = plot.ConstantTicks(thin(to, ticks, length))
}

// axisTitle says what an axis shows, and that it is logarithmic.
func axisTitle(a Axis) string {
	label := printable(a.Label)
	if a.Scale.log() && label != "" {
		label += " (log scale)"
	}
	return label
}

// thin drops the labels of ticks that would overlap the one before.
func thin(axis *plot.Axis, ticks []plot.Tick, length vg.Length) []plot.Tick {
	free := vg.Length(math.Inf(-1))
	for i := range ticks {
		t := &ticks[i]
		if t.Label == "" || t.Value < axis.Min || t.Value > axis.Max {
			continue
		}
		half := axis.Tick.Label.Width(t.Label) / 2
		at := length * vg.Length(axis.Norm(t.Value))
		if at-half < free {
			t.Label = ""
			continue
		}
		free = at + half + 4
	}
	return ticks
}

// logScale is logarithmic. The end of an interval that has no place on it, 0 or
// less, is at its lower end.
type logScale struct{}

func (logScale) Normalize(low, high, x float64) float64 {
	if x < low {
		x = low
	}
	return math.Log(x/low) / math.Log(high/low)
}

// numberTicks are the ticks of an axis of numbers.
func numberTicks(s span, scale Scale) []plot.Tick {
	switch scale {
	case Log2:
		if t := powers(s, 2, []float64{1}); len(t) >= 3 {
			return t
		}
	case Log10:
		if t := powers(s, 10, []float64{1}); len(t) >= 3 {
			return t
		}
		if t := powers(s, 10, []float64{1, 2, 5}); len(t) >= 3 {
			return t
		}
	}
	return steps(s)
}

// powers are ticks at the multiples of powers of a base, at most 10 or so.
func powers(s span, base float64, multiples []float64) []plot.Tick {
	first, last := int(math.Floor(math.Log(s.low)/math.Log(base))), int(math.Ceil(math.Log(s.high)/math.Log(base)))
	every := 1 + (last-first)/10
	var out []plot.Tick
	for k := first; k <= last; k++ {
		for _, m := range multiples {
			v := m * math.Pow(base, float64(k))
			if v < s.low || v > s.high {
				continue
			}
			t := plot.Tick{Value: v}
			if k%every == 0 {
				t.Label = tickText(v)
			}
			out = append(out, t)
		}
	}
	return out
}

// steps are about five ticks at multiples of 1, 2 or 5 times a power of ten.
func steps(s span) []plot.Tick {
	raw := (s.high - s.low) / 5
	if raw <= 0 || math.IsInf(raw, 0) {
		return nil
	}
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	step := 10 * power
	for _, m := range []float64{1, 2, 5} {
		if raw <= m*power*1.0001 {
			step = m * power
			break
		}
	}
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	var out []plot.Tick
	for k := math.Ceil(s.low/step - 1e-9); k*step <= s.high+step*1e-9 && len(out) < 20; k++ {
		v := k*step + 0 // never -0
		text := tickText(v)
		if decimals > 0 && decimals < 7 {
			text = strconv.FormatFloat(v, 'f', decimals, 64)
		}
		out = append(out, plot.Tick{Value: v, Label: text})
	}
	return out
}

// tickText prints a number on an axis.
func tickText(v float64) string {
	a := math.Abs(v)
	if v != 0 && (a < 1e-4 || a >= 1e9) {
		return strconv.FormatFloat(v, 'e', -1, 64)
	}
	s := strconv.FormatFloat(v, 'f', -1, 64)
	if a < 10000 {
		if a != math.Trunc(a) {
			s = strconv.FormatFloat(v, 'g', 6, 64)
		}
		return s
	}
	whole, _, _ := strings.Cut(strconv.FormatFloat(math.Round(v), 'f', 0, 64), ".")
	for i := len(whole) - 3; i > 0 && whole[i-1] != '-'; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	return whole
}
