package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"math/big"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// maxText is the longest text that a key shows in full; a longer one is
// shown by its beginning and its SHA-256.
const maxText = 80

// plain is what the text of a string shows without quotes, beside letters and digits.
const plain = "_.:/+-"

// axisText is the identity of a value of an axis, as keys show it: two values
// are the same if their texts are. Backends and hosts are shown by name on the
// axis of that name. Null, which is the absence of a value, has no text.
func axisText(axis string, v cty.Value) string {
	if v.IsNull() {
		return ""
	}
	if kind, name := reference(v); kind != "" && kind == axis {
		return stringText(name)
	}
	return valueText(v)
}

// valueText writes a value so that different values have different texts.
// Numbers have their shortest decimal form as a float64, or all digits if
// whole.
func valueText(v cty.Value) string {
	v, _ = v.UnmarkDeep()
	t := v.Type()
	switch {
	case !v.IsKnown():
		return "?"
	case v.IsNull():
		return "null"
	case t == cty.String:
		return stringText(v.AsString())
	case t == cty.Bool:
		return strconv.FormatBool(v.True())
	case t == cty.Number:
		return numberText(v.AsBigFloat())
	case t.IsListType() || t.IsTupleType() || t.IsSetType():
		var parts []string
		for it := v.ElementIterator(); it.Next(); {
			_, e := it.Element()
			parts = append(parts, valueText(e))
		}
		return shorten("[" + strings.Join(parts, ",") + "]")
	case t.IsObjectType() || t.IsMapType():
		if kind, name := reference(v); kind != "" {
			return kind + "{" + stringText(name) + "}"
		}
		if attribute(v, "kind") == "bytes" && t.HasAttribute("bytes") {
			return "bytes(" + valueText(v.GetAttr("bytes")) + ")"
		}
		var parts []string
		for it := v.ElementIterator(); it.Next(); { // in the order of the names
			k, e := it.Element()
			if !e.IsNull() {
				parts = append(parts, stringText(k.AsString())+"="+valueText(e))
			}
		}
		return shorten("{" + strings.Join(parts, ",") + "}")
	}
	return t.FriendlyName()
}

// reference returns the kind and the name of an object that stands for a
// block (backend, host, test), or nothing.
func reference(v cty.Value) (kind, name string) {
	if !v.IsKnown() || v.IsNull() || !v.Type().IsObjectType() {
		return "", ""
	}
	switch kind = attribute(v, "kind"); kind {
	case "backend", "host", "test":
		return kind, attribute(v, "name")
	}
	return "", ""
}

// attribute returns a string attribute of an object, or "".
func attribute(v cty.Value, name string) string {
	if !v.Type().HasAttribute(name) {
		return ""
	}
	a, _ := v.GetAttr(name).Unmark()
	if a.Type() != cty.String || !a.IsKnown() || a.IsNull() {
		return ""
	}
	return a.AsString()
}

func stringText(s string) string {
	for _, r := range s {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(plain, r)) {
			return shorten(strconv.Quote(s))
		}
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil || s == "" || s == "true" || s == "false" || s == "null" {
		return strconv.Quote(s)
	}
	return shorten(s)
}

func numberText(b *big.Float) string {
	if b.IsInt() && b.MantExp(nil) <= 70 { // 2^70: longer ones are clearer with an exponent
		return b.Text('f', 0)
	}
	f, _ := b.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

func shorten(s string) string {
	if len(s) <= maxText {
		return s
	}
	sum := sha256.Sum256([]byte(s))
	head := strings.ToValidUTF8(s[:maxText/2], "")
	return head + "...#" + hex.EncodeToString(sum[:8])
}

// goValue is a value as drivers and JSON take it: string, float64, bool, the
// name of a backend, host or test, nil for null, and the text of anything else.
func goValue(v cty.Value) any {
	v, _ = v.UnmarkDeep()
	switch {
	case !v.IsKnown() || v.IsNull():
		return nil
	case v.Type() == cty.String:
		return v.AsString()
	case v.Type() == cty.Bool:
		return v.True()
	case v.Type() == cty.Number:
		f, _ := v.AsBigFloat().Float64()
		return f
	}
	if kind, name := reference(v); kind != "" {
		return name
	}
	return valueText(v)
}
