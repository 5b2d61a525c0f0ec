package units

import (
	"math"
	"strconv"
	"strings"
)

// undefined is what a value without meaning (NaN, infinity) prints as.
const undefined = "?"

// FormatDuration prints seconds with three significant digits and a fitting
// unit, "1.23ms", and from a minute up in parts, "1m30s" and "2h5m". Duration
// reads the result, unless it is negative.
func FormatDuration(seconds float64) string {
	v := math.Abs(seconds)
	switch {
	case !finite(seconds):
		return undefined
	case v >= 3599.5:
		return sign(seconds) + longDuration(math.Round(v/60)*60)
	case v >= 59.95:
		return sign(seconds) + longDuration(math.Round(v))
	case v == 0:
		return "0s"
	}
	return scaled(seconds, []unit{{"ns", 1, -9}, {"us", 1, -6}, {"ms", 1, -3}, {"s", 1, 0}})
}

func longDuration(seconds float64) string {
	h, m, s := math.Floor(seconds/3600), math.Mod(math.Floor(seconds/60), 60), math.Mod(seconds, 60)
	text := ""
	if h > 0 {
		text = strconv.FormatFloat(h, 'f', 0, 64) + "h"
	}
	if m > 0 {
		text += strconv.FormatFloat(m, 'f', 0, 64) + "m"
	}
	if s > 0 {
		text += strconv.FormatFloat(s, 'f', 0, 64) + "s"
	}
	return text
}

// FormatSize prints bytes: exactly where four digits can ("512B", "4MiB",
// "4MB", "1500B"), else with three significant digits in powers of 1000.
func FormatSize(bytes float64) string {
	if !finite(bytes) {
		return undefined
	}
	digits, name := "", ""
	for _, u := range size.units {
		n := math.Abs(bytes) / u.scale()
		if u.name == "KB" || n != math.Trunc(n) || n > 9999 || (n == 0 && u.name != "B") {
			continue
		}
		// Fewer digits win; of equals, the later unit, which is binary.
		if text := strconv.FormatFloat(n, 'f', 0, 64); name == "" || len(text) <= len(digits) {
			digits, name = text, u.name
		}
	}
	if name != "" {
		return sign(bytes) + digits + name
	}
	return scaled(bytes, []unit{{"B", 1, 0}, {"kB", 1, 3}, {"MB", 1, 6}, {"GB", 1, 9}, {"TB", 1, 12}})
}

// FormatBandwidth prints bit/s with three significant digits: "56kbit/s".
func FormatBandwidth(bitsPerSecond float64) string {
	return scaled(bitsPerSecond, bandwidth.units)
}

// FormatPercent prints a ratio as a percentage with the given decimals:
// FormatPercent(0.256, 1) is "25.6%". Minus zero prints as zero.
func FormatPercent(ratio float64, decimals int) string {
	if !finite(ratio * 100) {
		return undefined
	}
	return FormatFixed(ratio*100, decimals) + "%"
}

// FormatFixed prints v with exactly the given decimals (0 to 20); what rounds
// to zero has no sign.
func FormatFixed(v float64, decimals int) string {
	if !finite(v) {
		return undefined
	}
	text := strconv.FormatFloat(v, 'f', min(max(decimals, 0), 20), 64)
	if strings.Trim(text, "-0.") == "" {
		text = strings.TrimPrefix(text, "-")
	}
	return text
}

// FormatNumber prints a number for people: at least four significant digits,
// the whole part never rounded away and grouped by thousands ("5,669",
// "102.4", "0.001230"); a whole number has no decimals. Beyond 1e15 and below
// 1e-6 it uses an exponent.
func FormatNumber(v float64) string {
	a := math.Abs(v)
	switch {
	case !finite(v):
		return undefined
	case a >= 1e15 || (a > 0 && a < 1e-6):
		return strconv.FormatFloat(v, 'e', 3, 64)
	case v == math.Trunc(v):
		return group(FormatFixed(v, 0))
	}
	decimals := max(0, 3-int(math.Floor(math.Log10(a))))
	return group(FormatFixed(v, decimals))
}

// scaled prints v with three significant digits in the largest unit that
// keeps it at least 1, without trailing zeros.
func scaled(v float64, units []unit) string {
	if !finite(v) {
		return undefined
	}
	if v == 0 {
		return "0" + units[0].name
	}
	for i, u := range units {
		text := three(v / u.scale())
		if n, _ := strconv.ParseFloat(text, 64); math.Abs(n) < 1000 || i == len(units)-1 {
			return text + u.name
		}
	}
	return undefined // not reached: units is never empty
}

// three prints v with three significant digits, whole digits kept, without
// exponent or trailing zeros.
func three(v float64) string {
	decimals := 2
	if a := math.Abs(v); a > 0 {
		decimals = min(max(0, 2-int(math.Floor(math.Log10(a)))), 20)
	}
	text := FormatFixed(v, decimals)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// group puts commas between the thousands of a plain decimal number.
func group(text string) string {
	whole, fraction, _ := strings.Cut(text, ".")
	minus := strings.HasPrefix(whole, "-")
	whole = strings.TrimPrefix(whole, "-")
	var b strings.Builder
	if minus {
		b.WriteByte('-')
	}
	for i := range len(whole) {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteByte(whole[i])
	}
	if fraction != "" {
		b.WriteString("." + fraction)
	}
	return b.String()
}

func sign(v float64) string {
	if v < 0 {
		return "-"
	}
	return ""
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
