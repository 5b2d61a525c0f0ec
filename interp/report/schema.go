package report

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"

	"versus/interp/report/chart"
)

// WriteSchema writes the JSON Schema (2020-12) of what JSON writes. It is made
// from the types that are written, so that it can't say anything else; what a
// field means is in docs/results.md.
func WriteSchema(w io.Writer) error {
	s := schemas{defs: map[string]any{}}
	root, err := s.of(reflect.TypeFor[jsonReport]())
	if err != nil {
		return err
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"title":   fmt.Sprintf("versus report --format json, format %d", JSONFormat),
		"$ref":    root["$ref"],
		"$defs":   s.defs,
	})
}

// words are the types whose values are one of a few words.
var words = map[reflect.Type][]any{
	reflect.TypeFor[Kind](): {KindLabel, KindNumber, KindText, KindBetter, KindWorse, KindBaseline,
		KindMissing, KindUndefined, KindAmbiguous, KindEmpty},
	reflect.TypeFor[Status](): {Pass, Fail, Info},
	reflect.TypeFor[chart.Kind](): {chart.Value, chart.Load, chart.Percentiles, chart.ECDF, chart.CCDF, chart.Strip, chart.Runs,
		chart.Windows, chart.Speedup, chart.Pairs, chart.Heatmap},
	reflect.TypeFor[chart.Scale]():   {chart.Linear, chart.Log2, chart.Log10, chart.Categories},
	reflect.TypeFor[chart.Verdict](): {chart.Better, chart.Worse, chart.NotShown, chart.NoVerdict},
}

// schemas collects the definitions of structs.
type schemas struct{ defs map[string]any }

// of is the schema of a type. The error is for a type that JSON has no schema
// for yet, which is a mistake of this package.
func (s schemas) of(t reflect.Type) (map[string]any, error) {
	if values, ok := words[t]; ok {
		return map[string]any{"enum": values}, nil
	}
	switch t.Kind() {
	case reflect.Pointer:
		return s.of(t.Elem())
	case reflect.String:
		return map[string]any{"type": "string"}, nil
	case reflect.Bool:
		return map[string]any{"type": "boolean"}, nil
	case reflect.Float64:
		return map[string]any{"type": "number"}, nil
	case reflect.Int, reflect.Uint64:
		return map[string]any{"type": "integer", "minimum": 0}, nil
	case reflect.Slice, reflect.Array:
		items, err := s.of(t.Elem())
		out := map[string]any{"type": "array", "items": items}
		if t.Kind() == reflect.Array {
			out["minItems"], out["maxItems"] = t.Len(), t.Len()
		}
		return out, err
	case reflect.Struct:
		return s.structOf(t)
	}
	return nil, fmt.Errorf("report: no schema for the type %s", t)
}

func (s schemas) structOf(t reflect.Type) (map[string]any, error) {
	name := strings.ToLower(strings.TrimPrefix(t.Name(), "json"))
	ref := map[string]any{"$ref": "#/$defs/" + name}
	if _, known := s.defs[name]; known {
		return ref, nil
	}
	fields, required := map[string]any{}, []string{}
	s.defs[name] = map[string]any{"type": "object", "properties": fields, "additionalProperties": false}
	for i := range t.NumField() {
		f := t.Field(i)
		field, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		v, err := s.of(f.Type)
		if err != nil {
			return nil, fmt.Errorf("%w, of the field %s", err, field)
		}
		fields[field] = v
		if !strings.Contains(options, "omitempty") {
			required = append(required, field)
		}
	}
	s.defs[name].(map[string]any)["required"] = required
	return ref, nil
}
