package units

import (
	"fmt"
	"math"
	"strings"
)

// Convert brings a value in a named unit ("us", "KiB", "percent", "kHz",
// "Mbit/s") to base units: Convert(200, "ms") is 0.2. The value may be
// negative. The error names the units that there are, or says that the result
// is beyond float64.
func Convert(value float64, unit string) (float64, error) {
	u, err := lookup(unit)
	if err != nil {
		return 0, err
	}
	// Dividing by an exact power of ten rounds once; multiplying by 1e-6,
	// which is not exact, would round twice.
	v := value * u.factor
	if u.exp10 < 0 {
		v /= math.Pow10(-u.exp10)
	} else {
		v *= math.Pow10(u.exp10)
	}
	if !finite(v) {
		return 0, fmt.Errorf("%g %s is too large", value, unit)
	}
	return v, nil
}

// Check returns nil if Convert knows the unit, and otherwise an error that
// names those it knows.
func Check(unit string) error {
	_, err := lookup(unit)
	return err
}

func lookup(name string) (*unit, error) {
	if name == "percent" {
		name = "%"
	}
	for _, q := range kinds {
		if u := q.unit(name); u != nil {
			return u, nil
		}
	}
	var guesses []string
	for _, q := range kinds {
		for _, g := range q.guess(name) {
			guesses = append(guesses, fmt.Sprintf("%q", g))
		}
	}
	if len(guesses) > 0 {
		return nil, fmt.Errorf("unknown unit %q; did you mean %s?", name, strings.Join(guesses, " or "))
	}
	var lists []string
	for _, q := range kinds {
		lists = append(lists, q.list())
	}
	return nil, fmt.Errorf("unknown unit %q; there are %s", name, strings.Join(lists, ", "))
}
