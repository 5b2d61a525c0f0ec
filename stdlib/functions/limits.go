package functions

import (
	"fmt"
	"math"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// The limits of the arguments and of the result of a call.
const (
	MaxElements = 100_000  // values in all, nested ones included
	MaxText     = 16 << 20 // bytes of text in all
	MaxSweep    = 10_000   // elements that range, linspace and setproduct may make
	maxDepth    = 250
)

// bounded refuses arguments beyond the limits, before anything is computed
// with them, and says what it met in them.
func bounded(args []cty.Value) (meter, error) {
	var all meter
	for i, a := range args {
		m := meter{what: "the argument"}
		if err := m.walk(a, 0); err != nil {
			return all, function.NewArgError(i, err)
		}
		all.marked, all.unknown = all.marked || m.marked, all.unknown || m.unknown
	}
	return all, nil
}

// boundedResult refuses a result beyond the limits.
func boundedResult(v cty.Value) error {
	m := meter{what: "the result"}
	return m.walk(v, 0)
}

// meter counts what a value holds.
type meter struct {
	what            string
	elements, text  int
	marked, unknown bool
	dataset         bool // has limits of its own, those of its file
}

func (m *meter) walk(v cty.Value, depth int) error {
	if v.IsMarked() {
		m.marked = true
		v, _ = v.Unmark()
	}
	if !v.IsKnown() {
		m.unknown = true
		return nil
	}
	if v.IsNull() {
		return nil
	}
	if depth == 0 && isDataset(v.Type()) {
		m.dataset = true
	}
	if m.elements++; m.elements > MaxElements && !m.dataset {
		return fmt.Errorf("%s has more than %d elements", m.what, MaxElements)
	}
	switch ty := v.Type(); {
	case ty == cty.String:
		if m.text += len(v.AsString()); m.text > MaxText {
			return fmt.Errorf("%s has more than %d bytes of text", m.what, MaxText)
		}
	case ty == cty.Number:
		if _, err := float(v); err != nil {
			return fmt.Errorf("%s %w", m.what, err)
		}
	case isSequence(ty) || ty.IsMapType() || ty.IsObjectType():
		return m.walkElements(v, depth)
	}
	return nil
}

func (m *meter) walkElements(v cty.Value, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("%s is nested more than %d levels deep", m.what, maxDepth)
	}
	if ty := v.Type(); ty.IsObjectType() { // an iterator would sort the names
		for name := range ty.AttributeTypes() {
			if err := m.walk(v.GetAttr(name), depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	for it := v.ElementIterator(); it.Next(); {
		_, e := it.Element()
		if err := m.walk(e, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// float converts a known number to a float64. The error completes the
// sentence "the argument ...".
func float(v cty.Value) (float64, error) {
	big := v.AsBigFloat()
	if big.IsInf() {
		return 0, fmt.Errorf("is infinite: was there a division by zero?")
	}
	f, _ := big.Float64()
	if math.IsInf(f, 0) {
		return 0, fmt.Errorf("is a number beyond 1.8e308, too large to compute with")
	}
	if f == 0 && big.Sign() != 0 {
		return 0, fmt.Errorf("is a number so close to 0 that it can't be told from 0")
	}
	return f, nil
}

// number brings a result into cty, where NaN must never go.
func number(f float64) (cty.Value, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return cty.NilVal, fmt.Errorf("the result is not a finite number")
	}
	return cty.NumberFloatVal(f), nil
}

// whole reads argument i as a whole number from low to high.
func whole(args []cty.Value, i int, low, high float64) (int, error) {
	f, err := float(args[i])
	if err != nil {
		return 0, argErrorf(i, "%v", err)
	}
	if f != math.Trunc(f) || f < low || f > high {
		return 0, argErrorf(i, "must be a whole number from %g to %g, not %g", low, high, f)
	}
	return int(f), nil
}

// floats reads argument i, a list of numbers.
func floats(args []cty.Value, i int) ([]float64, error) {
	var out []float64
	for it := args[i].ElementIterator(); it.Next(); {
		_, e := it.Element()
		if e.IsNull() {
			return nil, argErrorf(i, "element %d is null", len(out))
		}
		f, err := float(e)
		if err != nil {
			return nil, argErrorf(i, "element %d %v", len(out), err)
		}
		out = append(out, f)
	}
	return out, nil
}

// numberList brings a list of results into cty.
func numberList(fs []float64) (cty.Value, error) {
	if len(fs) == 0 {
		return cty.ListValEmpty(cty.Number), nil
	}
	vs := make([]cty.Value, len(fs))
	for i, f := range fs {
		v, err := number(f)
		if err != nil {
			return cty.NilVal, err
		}
		vs[i] = v
	}
	return cty.ListVal(vs), nil
}
