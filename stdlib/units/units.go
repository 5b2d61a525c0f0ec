// Package units reads and prints quantities with a unit: "200ms", "4MiB",
// "1kHz", "56kbit/s", "5%". Inside versus every quantity is a float64 in its
// SI base unit (seconds, bytes, per second, bit/s, a ratio from 0 to 1); a
// unit is written only where a value enters or leaves.
//
// It reads whole quantities only: no arithmetic, no lists, no plain numbers
// other than 0, which needs no unit. (A number that is not text is in base
// units already and never comes here.)
package units

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// unit is one unit of a quantity: 1 unit = factor × 10^exp10 base units. The
// power of ten is kept apart because a number is scaled by it in its decimal
// text, which rounds once: "0.1ms" is exactly the float64 of 1e-4.
type unit struct {
	name   string
	factor float64
	exp10  int
}

// quantity is one kind of quantity that can be read.
type quantity struct {
	name    string // with its article: "a duration"
	example string // `"200ms"`
	max     float64
	maxText string
	units   []unit
	// meant maps what people write, in lower case, to the units that they
	// may have meant. Spellings that differ only in case need no entry.
	meant map[string][]string
	// describe prints a value in base units, to tell suggestions apart.
	describe func(float64) string
	compound bool // several parts may follow each other: "1m30s"
	whole    bool // the value is a whole number of base units
}

const maxSeconds = math.MaxInt64 / 1_000_000_000 // what 64 bits of nanoseconds hold, 292 years

var duration = quantity{
	name: "a duration", example: `"200ms"`, compound: true,
	max: maxSeconds, maxText: "292 years",
	units: []unit{
		{"ns", 1, -9}, {"us", 1, -6}, {"µs", 1, -6}, {"μs", 1, -6}, {"ms", 1, -3},
		{"s", 1, 0}, {"m", 60, 0}, {"h", 3600, 0},
	},
	meant: map[string][]string{
		"sec": {"s"}, "secs": {"s"}, "second": {"s"}, "seconds": {"s"},
		"min": {"m"}, "mins": {"m"}, "minute": {"m"}, "minutes": {"m"},
		"hr": {"h"}, "hrs": {"h"}, "hour": {"h"}, "hours": {"h"},
		"msec": {"ms"}, "msecs": {"ms"}, "millis": {"ms"}, "milliseconds": {"ms"},
		"usec": {"us"}, "usecs": {"us"}, "micros": {"us"}, "microseconds": {"us"}, "mus": {"us"},
		"nsec": {"ns"}, "nanos": {"ns"}, "nanoseconds": {"ns"},
	},
	describe: func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) + " s" },
}

var size = quantity{
	name: "a size", example: `"4MiB"`, whole: true,
	max: 1 << 53, maxText: "8PiB",
	units: []unit{
		{"B", 1, 0}, {"kB", 1, 3}, {"KB", 1, 3}, {"MB", 1, 6}, {"GB", 1, 9}, {"TB", 1, 12},
		{"KiB", 1 << 10, 0}, {"MiB", 1 << 20, 0}, {"GiB", 1 << 30, 0}, {"TiB", 1 << 40, 0},
	},
	meant: map[string][]string{
		"byte": {"B"}, "bytes": {"B"},
		"k": {"kB", "KiB"}, "kb": {"kB", "KiB"}, "ki": {"KiB"},
		"m": {"MB", "MiB"}, "mb": {"MB", "MiB"}, "mi": {"MiB"},
		"g": {"GB", "GiB"}, "gb": {"GB", "GiB"}, "gi": {"GiB"},
		"t": {"TB", "TiB"}, "tb": {"TB", "TiB"}, "ti": {"TiB"},
	},
	describe: func(v float64) string { return group(strconv.FormatFloat(v, 'f', -1, 64)) + " B" },
}

var rate = quantity{
	name: "a rate", example: `"1kHz"`,
	max: 1e12, maxText: "1e12/s",
	units: []unit{
		{"Hz", 1, 0}, {"kHz", 1, 3}, {"MHz", 1, 6}, {"GHz", 1, 9},
		{"/s", 1, 0}, {"k/s", 1, 3}, {"M/s", 1, 6}, {"/min", 1.0 / 60, 0}, {"/h", 1.0 / 3600, 0},
	},
	meant: map[string][]string{
		"k": {"kHz"}, "m": {"MHz"}, "1/s": {"/s"}, "/sec": {"/s"}, "/second": {"/s"}, "ps": {"/s"},
		"qps": {"/s"}, "rps": {"/s"}, "ops/s": {"/s"}, "req/s": {"/s"}, "msg/s": {"/s"}, "calls/s": {"/s"},
		"/m": {"/min"}, "/minute": {"/min"}, "/hour": {"/h"},
	},
	describe: func(v float64) string { return group(strconv.FormatFloat(v, 'f', -1, 64)) + " per second" },
}

var bandwidth = quantity{
	name: "a bandwidth", example: `"56kbit/s"`,
	max: 1e15, maxText: "1e15bit/s",
	units: []unit{
		{"bit/s", 1, 0}, {"kbit/s", 1, 3}, {"Mbit/s", 1, 6}, {"Gbit/s", 1, 9}, {"Tbit/s", 1, 12},
	},
	meant: map[string][]string{
		"bps": {"bit/s"}, "b/s": {"bit/s"}, "bits/s": {"bit/s"}, "bit": {"bit/s"},
		"kbps": {"kbit/s"}, "kb/s": {"kbit/s"}, "kbits/s": {"kbit/s"}, "kbit": {"kbit/s"},
		"mbps": {"Mbit/s"}, "mb/s": {"Mbit/s"}, "mbits/s": {"Mbit/s"}, "mbit": {"Mbit/s"},
		"gbps": {"Gbit/s"}, "gb/s": {"Gbit/s"}, "gbits/s": {"Gbit/s"}, "gbit": {"Gbit/s"},
	},
	describe: func(v float64) string { return group(strconv.FormatFloat(v, 'f', -1, 64)) + " bit/s" },
}

var percent = quantity{
	name: "a percentage", example: `"5%"`,
	max: 1e12, maxText: "1e14%",
	units:    []unit{{"%", 1, -2}},
	meant:    map[string][]string{"percent": {"%"}, "pct": {"%"}, "pc": {"%"}},
	describe: func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) },
}

var kinds = []*quantity{&duration, &size, &rate, &bandwidth, &percent}

// Duration reads a length of time, such as "200ms", "1m30s", "5us" or "1µs",
// and returns seconds, from 0 to 292 years.
func Duration(text string) (seconds float64, err error) { return duration.parse(text) }

// Size reads a number of bytes, such as "512B", "8KiB" or "4MB". Units with
// an i are powers of 1024, those without are powers of 1000. The result is
// whole, from 0 to 2^53.
func Size(text string) (bytes float64, err error) { return size.parse(text) }

// Rate reads a frequency, such as "1kHz", "1000/s" or "30/min", and returns
// how often per second, from 0 to 1e12.
func Rate(text string) (perSecond float64, err error) { return rate.parse(text) }

// Bandwidth reads a data rate, such as "56kbit/s" or "1Gbit/s", and returns
// bits per second, from 0 to 1e15.
func Bandwidth(text string) (bitsPerSecond float64, err error) { return bandwidth.parse(text) }

// Percent reads a percentage, such as "5%", and returns it as a ratio: 0.05.
// It may be above 100 %.
func Percent(text string) (ratio float64, err error) { return percent.parse(text) }

// maxText bounds the text of a quantity: nobody writes a longer one, and the
// error should not print it.
const maxText = 64

func (q *quantity) parse(text string) (float64, error) {
	rest := strings.TrimSpace(text)
	switch {
	case rest == "":
		return 0, fmt.Errorf("empty text is not %s; write for example %s", q.name, q.example)
	case len(rest) > maxText:
		return 0, fmt.Errorf("%q... is too long for %s; write for example %s", rest[:16], q.name, q.example)
	case rest[0] == '-':
		return 0, fmt.Errorf("%q: %s can't be negative", text, q.name)
	case rest[0] == '+':
		return 0, fmt.Errorf("%q: write %s without the plus sign", text, q.name)
	case rest == "0":
		return 0, nil
	}
	total, last := 0.0, math.Inf(1)
	for first := true; rest != ""; first = false {
		number, after := splitNumber(rest)
		if number == "" {
			return 0, fmt.Errorf("%q is not %s; write a number and a unit, for example %s", text, q.name, q.example)
		}
		name, after := splitUnit(after)
		u := q.unit(name)
		if u == nil {
			return 0, q.unknownUnit(text, number, name, first && after == "")
		}
		if !first && (!q.compound || u.scale() >= last) {
			return 0, fmt.Errorf("%q is not %s; write one number and one unit, for example %s", text, q.name, q.example)
		}
		value, err := q.value(text, number, u)
		if err != nil {
			return 0, err
		}
		total, last, rest = total+value, u.scale(), after
	}
	return total, q.check(text, total)
}

// value scales the text of a number by a unit, rounding once.
func (q *quantity) value(text, number string, u *unit) (float64, error) {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	e := 0
	if exponent != "" {
		var err error
		if e, err = strconv.Atoi(exponent); err != nil || e < -400 || e > 400 {
			return 0, fmt.Errorf("%q: the exponent is out of range", text)
		}
	}
	v, err := strconv.ParseFloat(mantissa+"e"+strconv.Itoa(e+u.exp10), 64)
	if err != nil {
		return 0, q.check(text, math.Inf(1)) // the syntax is right, so it is out of range
	}
	if v == 0 && strings.Trim(mantissa, "0.") != "" {
		return 0, fmt.Errorf("%q is too small to tell from 0", text)
	}
	return v * u.factor, nil
}

func (q *quantity) check(text string, v float64) error {
	if v > q.max {
		return fmt.Errorf("%q is too large; %s may be %s at most", text, q.name, q.maxText)
	}
	if q.whole && v != math.Trunc(v) {
		return fmt.Errorf("%q is not a whole number of bytes", text)
	}
	return nil
}

func (u *unit) scale() float64 { return u.factor * math.Pow10(u.exp10) }

func (q *quantity) unit(name string) *unit {
	for i := range q.units {
		if q.units[i].name == name {
			return &q.units[i]
		}
	}
	return nil
}

// splitNumber cuts a plain decimal number ("12", "1.5", "2e3") from the front.
func splitNumber(s string) (number, rest string) {
	i := digits(s, 0)
	if i == 0 {
		return "", s
	}
	if i+1 < len(s) && s[i] == '.' && isDigit(s[i+1]) {
		i = digits(s, i+1)
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		j := i + 1
		if j < len(s) && (s[j] == '-' || s[j] == '+') {
			j++
		}
		if end := digits(s, j); end > j {
			i = end
		}
	}
	return s[:i], s[i:]
}

// splitUnit cuts a unit, with the spaces around it, from the front.
func splitUnit(s string) (name, rest string) {
	s = strings.TrimLeft(s, " ")
	i := 0
	for i < len(s) && !isDigit(s[i]) {
		i++
	}
	// "1/s" after a number is a unit that people write, not a second number.
	if i == 0 && strings.HasPrefix(s, "1/s") {
		i = len("1/s")
	}
	return strings.TrimRight(s[:i], " "), s[i:]
}

func digits(s string, i int) int {
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	return i
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
