package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"versus/stdlib/units"
)

// maxDepth is how deep arrays and objects may nest; the formats need 4.
const maxDepth = 32

// jsonValue is a value of a JSON document that knows where it is, so that an
// error about what it means has a place.
type jsonValue struct {
	at    int    // offset in the document
	kind  byte   // one of {["0tn: object, array, text, number, true or false, null
	text  string // of a text or a bool, or the number as written
	keys  []string
	items []jsonValue // of an array, or by keys of an object
}

// document is a JSON file.
type document struct {
	src    []byte
	dec    *json.Decoder
	values int
	root   jsonValue
}

// parseJSON reads a file that holds one JSON value (RFC 8259). A key twice in
// an object is an error: readers differ in which one they take.
func parseJSON(src []byte) (*document, error) {
	src, err := text(src)
	if err != nil {
		return nil, err
	}
	d := &document{src: src, dec: json.NewDecoder(bytes.NewReader(src))}
	d.dec.UseNumber()
	if len(bytes.TrimSpace(src)) == 0 {
		return nil, &Error{Text: "the file is empty"}
	}
	// The decoder's tokens don't say exactly where a mistake is; this does.
	if err := json.Unmarshal(src, new(json.RawMessage)); err != nil {
		return nil, d.syntax(err)
	}
	d.root, err = d.value(0)
	return d, err
}

// skip returns the offset of the next token.
func (d *document) skip() int {
	i := int(d.dec.InputOffset())
	for i < len(d.src) && strings.IndexByte(" \t\r\n,:", d.src[i]) >= 0 {
		i++
	}
	return i
}

func (d *document) value(depth int) (jsonValue, error) {
	v := jsonValue{at: d.skip()}
	if d.values++; d.values > MaxCells {
		return v, d.fail(v, "the file has more than %d values", MaxCells)
	}
	token, err := d.dec.Token()
	if err != nil {
		return v, d.syntax(err)
	}
	switch t := token.(type) {
	case json.Delim:
		v.kind = byte(t)
		if depth == maxDepth {
			return v, d.fail(v, "arrays and objects nest more than %d deep", maxDepth)
		}
		err = d.inside(&v, depth)
	case json.Number:
		v.kind, v.text = '0', string(t)
	case string:
		v.kind, v.text = '"', t
	case bool:
		v.kind, v.text = 't', strconv.FormatBool(t)
	default:
		v.kind = 'n'
	}
	return v, err
}

// inside reads the items of an array or object up to its end.
func (d *document) inside(v *jsonValue, depth int) error {
	seen := map[string]bool{}
	for d.dec.More() {
		if v.kind == '{' {
			at := d.skip()
			token, err := d.dec.Token()
			if err != nil {
				return d.syntax(err)
			}
			key := token.(string) // the decoder lets nothing else be a key
			if seen[key] {
				return errorAt(placeOf(d.src, at), "the key %.40q is there twice", key)
			}
			seen[key] = true
			v.keys = append(v.keys, key)
		}
		item, err := d.value(depth + 1)
		if err != nil {
			return err
		}
		v.items = append(v.items, item)
	}
	if _, err := d.dec.Token(); err != nil {
		return d.syntax(err)
	}
	return nil
}

// syntax explains an error of encoding/json.
func (d *document) syntax(err error) error {
	var se *json.SyntaxError
	if !errors.As(err, &se) {
		return errorAt(placeOf(d.src, d.skip()), "this is not JSON: %v", err)
	}
	at := min(max(int(se.Offset)-1, 0), len(d.src))
	switch {
	case strings.Contains(err.Error(), "unexpected end"):
		return errorAt(placeOf(d.src, len(d.src)), "the file ends in the middle of the JSON value; it is truncated")
	case strings.Contains(err.Error(), "after top-level value"):
		return errorAt(placeOf(d.src, at), "there is more after the end of the JSON value; one file holds one result")
	case notFiniteJSON.Match(d.src[at:]):
		return errorAt(placeOf(d.src, at), "a value that is not a finite number; JSON has none, and it is no measurement")
	}
	return errorAt(placeOf(d.src, at), "this is not JSON: %v", err)
}

var notFiniteJSON = regexp.MustCompile(`^(?i:nan|inf)`)

func (d *document) fail(v jsonValue, format string, args ...any) *Error {
	return &Error{placeOf(d.src, v.at).line, placeOf(d.src, v.at).column, fmt.Sprintf(format, args...)}
}

// get returns the value of a key of an object; null is as good as nothing.
func (v jsonValue) get(key string) (jsonValue, bool) {
	if v.kind != '{' {
		return jsonValue{}, false
	}
	i := slices.Index(v.keys, key)
	if i < 0 || v.items[i].kind == 'n' {
		return jsonValue{}, false
	}
	return v.items[i], true
}

// list returns the items of the array that an object has at a key, nil if the
// key is absent.
func (d *document) list(object jsonValue, key string) ([]jsonValue, error) {
	v, ok := object.get(key)
	if !ok {
		return nil, nil
	}
	if v.kind != '[' {
		return nil, d.fail(v, "%s must be an array", key)
	}
	return v.items, nil
}

// number converts a number to base units; unit "" means as it is.
func (d *document) number(v jsonValue, name, unit string) (float64, error) {
	if v.kind != '0' {
		return 0, d.fail(v, "%s must be a number", name)
	}
	x, err := strconv.ParseFloat(v.text, 64)
	if err == nil && unit != "" {
		x, err = units.Convert(x, unit)
	}
	if err != nil || math.IsInf(x, 0) {
		return 0, d.fail(v, "%s: %.40s is beyond the range of numbers", name, v.text)
	}
	return x, nil
}

// amount is a number that can't be negative: a time, a count, a rate.
func (d *document) amount(v jsonValue, name, unit string) (float64, error) {
	x, err := d.number(v, name, unit)
	if err == nil && x < 0 {
		return 0, d.fail(v, "%s is negative: %.40s", name, v.text)
	}
	return x, err
}

// field says which key of an object has the value of which column.
type field struct {
	key, column string
	unit        string // of an amount; isText for a text
}

const isText = "text"

// copy fills a row from an object; what the object lacks, the row lacks.
func (d *document) copy(s *sheet, row map[string]any, object jsonValue, fields []field) error {
	for _, f := range fields {
		v, ok := object.get(f.key)
		if !ok {
			continue
		}
		if f.unit == isText {
			if v.kind == '{' || v.kind == '[' {
				return d.fail(v, "%s must be a text", f.key)
			}
			s.set(row, f.column, v.text)
			continue
		}
		x, err := d.amount(v, f.key, f.unit)
		if err != nil {
			return err
		}
		s.set(row, f.column, x)
	}
	return nil
}
