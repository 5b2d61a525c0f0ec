package audit

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Page is the page of a check, in Markdown.
func (c *Check) Page() string {
	return fmt.Sprintf("## %s %s\n\n%s\n\n- Formula: %s\n- Reports: %s\n- Source: %s\n- Otherwise not checked: %s.\n", c.ID, c.Title, c.What, c.Formula, c.Tolerance, c.Source, c.Needs)
}

// num writes a number with at most seven significant digits.
func num(x float64) string {
	if a := math.Abs(x); a != 0 && (a < 1e-4 || a >= 1e12) {
		return strconv.FormatFloat(x, 'g', 7, 64)
	}
	digits := 6 - int(math.Floor(math.Log10(max(math.Abs(x), 1e-4))))
	s := strconv.FormatFloat(x, 'f', max(digits, 0), 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// span writes a time: from 10 ms on in ms, from 1 s on in s.
func span(s float64) string {
	switch a := math.Abs(s); {
	case a >= 1:
		return num(s) + " s"
	case a >= 0.01:
		return num(s*1e3) + " ms"
	case a >= 1e-6:
		return num(s*1e6) + " us"
	}
	return num(s*1e9) + " ns"
}

// bytes writes an amount of data, bits a bandwidth, in SI units.
func bytes(x float64) string { return prefixed(x, "B") }
func bits(x float64) string  { return prefixed(x, "bit/s") }

func prefixed(x float64, unit string) string {
	for _, p := range []struct {
		name  string
		scale float64
	}{{"G", 1e9}, {"M", 1e6}, {"k", 1e3}} {
		if x >= p.scale {
			return fmt.Sprintf("%.4g %s%s", x/p.scale, p.name, unit)
		}
	}
	return fmt.Sprintf("%.4g %s", x, unit)
}

// significant is the number of significant decimal digits of a recorded value.
func significant(x float64) int {
	mantissa, _, _ := strings.Cut(strconv.FormatFloat(math.Abs(x), 'e', 11, 64), "e")
	return len(strings.TrimRight(strings.Replace(mantissa, ".", "", 1), "0"))
}

// decimals is how many decimals a recorded value has in the given unit, of at
// most 12 significant digits.
func decimals(x float64) int {
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(math.Abs(x), 'e', 11, 64), "e")
	e, err := strconv.Atoi(exponent)
	if err != nil {
		return 0
	}
	return max(0, len(strings.TrimRight(strings.Replace(mantissa, ".", "", 1), "0"))-1-e)
}
