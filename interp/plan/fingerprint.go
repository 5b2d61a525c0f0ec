package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"versus/dsl"
	"versus/dsl/schema"
	"versus/stdlib/dataset"
)

// Methodology writes down everything in a scenario that decides what is
// measured and how, as sorted lines "path = value": backends with their
// options, hosts, links, payloads, the content of datasets, tests with their
// effective methodology, arguments and sweeps, and what is compared. An
// expression that needs no axis is written as its value, another one as its
// source without comments and layout, with the values of the variables that it
// uses. Nothing cosmetic is in it: titles, descriptions, comments, the order
// of blocks, tables, charts and expectations; and no secret, since a sensitive
// value can stand only in the environment of a host, of which it has the names.
func Methodology(s *dsl.Scenario) []string {
	m := &methodology{scenario: s}
	for _, b := range s.Backends {
		at := "backend." + b.Name
		m.add(at+".driver", b.Driver)
		m.options(at+".options", b.Options)
	}
	for _, h := range s.Hosts {
		at := "host." + h.Name
		m.add(at+".kind", h.Kind)
		m.add(at+".address", h.Address)
		m.add(at+".options", strings.Join(h.Options, " "))
		m.add(at+".command", strings.Join(h.Command, " "))
		m.add(at+".program", h.Program)
		m.add(at+".listen", h.Listen)
		m.add(at+".cpus", strings.Join(texts(h.CPUs), ","))
		m.add(at+".environment", strings.Join(slices.Sorted(maps.Keys(h.Environment)), ","))
		if h.Priority.Nice != nil {
			m.add(at+".nice", strconv.Itoa(*h.Priority.Nice))
		}
		if h.Priority.Realtime > 0 {
			m.add(at+".realtime", strconv.Itoa(h.Priority.Realtime))
		}
		m.add(at+".require.governor", h.Require.Governor)
		if h.Require.Cores > 0 {
			m.add(at+".require.cores", strconv.Itoa(h.Require.Cores))
		}
		if h.Require.Memory > 0 {
			m.add(at+".require.memory", strconv.FormatInt(h.Require.Memory, 10))
		}
		m.add(at+".require.kernel", h.Require.Kernel)
		m.add(at+".require.binaries", strings.Join(h.Require.Binaries, " "))
	}
	for _, l := range s.Links {
		m.link(l)
	}
	for _, p := range s.Payloads {
		m.add("payload."+p.Name, valueText(p.Value))
	}
	for _, d := range s.Datasets {
		m.add("dataset."+d.Name, contentHash(d))
	}
	for _, t := range s.Tests {
		m.test(t)
	}
	for _, c := range s.Comparisons {
		m.comparison(c)
	}
	slices.Sort(m.lines)
	return m.lines
}

// link adds a link; a setting that is 0 does nothing, and is left out.
func (m *methodology) link(l *dsl.Link) {
	at := "link." + l.Name
	m.add(at+".between", strings.Join(l.Between, ", "))
	for _, s := range []struct {
		name, unit  string
		value, base float64
	}{{"rate", " kbit/s", l.Rate, 1e3}, {"delay", " s", l.Delay, 1}, {"jitter", " s", l.Jitter, 1}, {"loss", "", l.Loss, 1}} {
		if s.value != 0 {
			m.add(at+"."+s.name, goText(s.value/s.base)+s.unit)
		}
	}
	m.add(at+".via", l.Via)
}

// Fingerprint is the SHA-256 of the lines of a methodology, in hexadecimal.
func Fingerprint(lines []string) string {
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n") + "\n"))
	return hex.EncodeToString(sum[:])
}

type methodology struct {
	scenario *dsl.Scenario
	lines    []string
}

// add adds a line; an empty value is none. Values have no line breaks.
func (m *methodology) add(path, value string) {
	if value == "" {
		return
	}
	if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' }) {
		value = strconv.Quote(value)
	}
	m.lines = append(m.lines, path+" = "+value)
}

// options adds the options of a driver, nested blocks by dotted paths. A
// dataset is named only: its content has a line of its own.
func (m *methodology) options(path string, options map[string]any) {
	for name, v := range options {
		at := path + "." + stringText(name) // the keys of a map are free text
		switch v := v.(type) {
		case *dataset.Index:
			m.add(at, "dataset."+v.Name)
		case map[string]any:
			m.options(at, v)
		default:
			m.add(at, goText(v))
		}
	}
}

func (m *methodology) test(t *dsl.Test) {
	at := "test." + t.Name
	m.add(at+".pattern", t.Pattern)
	if t.Methodology != nil {
		m.how(at+".methodology", t)
	}
	for name, e := range t.Args {
		if name == "capacity" { // what is known of the system, not what is asked of it
			continue
		}
		m.expr(at+".arguments."+name, e)
	}
	for i, s := range t.Sweeps {
		at := fmt.Sprintf("%s.sweep[%d]", at, i+1)
		var axes []string
		for _, a := range s.Axes {
			axes = append(axes, a.Name)
			if a.Zip != 0 {
				axes[len(axes)-1] += fmt.Sprintf(" (zip %d)", a.Zip)
			}
			m.add(at+".axis."+a.Name, list(a.Name, a.Values))
		}
		m.add(at+".axes", strings.Join(axes, ", "))
		if s.Where != nil {
			m.expr(at+".where", s.Where)
		}
	}
}

// how adds the methodology that a test really has.
func (m *methodology) how(at string, t *dsl.Test) {
	how := t.Methodology
	m.add(at+".warmup", extentText(how.Warmup))
	m.add(at+".measure", extentText(how.Measure))
	m.add(at+".runs", strconv.Itoa(runsOf(t)))
	if u := how.Until; u != nil {
		m.add(at+".until", fmt.Sprintf("relative_interval %s, from %d runs", goText(u.RelativeInterval), u.Min))
	}
	switch {
	case how.Keep.Best != nil:
		m.expr(at+".keep", how.Keep.Best)
		m.add(at+".keep_by", how.Keep.By)
	case how.Keep.Trimmed > 0:
		m.add(at+".keep", "trimmed "+goText(how.Keep.Trimmed))
		m.add(at+".keep_by", how.Keep.By)
	default:
		m.add(at+".keep", "all")
	}
	for name, limit := range how.Gate {
		m.add(at+".gate."+name, goText(limit))
	}
	if how.NoiseFloor {
		m.add(at+".noise_floor", "true")
	}
	m.add(at+".order", how.Order)
	if how.Order == random {
		m.add(at+".seed", strconv.FormatInt(how.Seed, 10))
	}
	m.add(at+".pause", goText(how.Pause)+" s")
	m.add(at+".timeout", goText(how.Timeout)+" s")
	m.add(at+".drain", goText(how.Drain)+" s")
}

func (m *methodology) comparison(c *dsl.Comparison) {
	at := "comparison." + c.Name
	for side, selector := range map[string]dsl.Selector{".baseline": c.Baseline, ".candidate": c.Candidate} {
		for _, a := range selector {
			m.add(at+side+"."+a.Axis, list(a.Axis, a.Values))
		}
	}
	if c.Value != nil {
		m.expr(at+".value", c.Value)
	}
	m.add(at+".confidence", goText(c.Confidence))
	m.add(at+".across", strings.Join(slices.Sorted(slices.Values(c.Across)), ", "))
	m.add(at+".tests", strings.Join(slices.Sorted(slices.Values(c.Tests)), ", "))
}

// expr adds an expression: its value if it is known at load time, else its
// source and the values of the variables, locals and payloads that it uses.
func (m *methodology) expr(path string, e *dsl.Expr) {
	if e.Time != schema.Result && len(e.Axes) == 0 && !e.AllAxes {
		if v, diags := m.scenario.EvalCell(e, nil); !diags.HasErrors() {
			m.add(path, axisText(e.Attr.Name, v))
			return
		}
	}
	m.add(path, normalise(e.Source))
	for _, root := range []string{"var", "local", "payload"} {
		group, ok := e.Known()[root]
		if !ok || !group.IsKnown() || group.IsNull() {
			continue
		}
		for it := group.ElementIterator(); it.Next(); {
			name, v := it.Element()
			text := "(sensitive)"
			if !v.IsMarked() && !v.ContainsMarked() {
				text = valueText(v)
			}
			m.add(path+" with "+root+"."+name.AsString(), text)
		}
	}
}

func list(axis string, values []cty.Value) string {
	var parts []string
	for _, v := range values {
		parts = append(parts, axisText(axis, v))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func extentText(e dsl.Extent) string {
	switch {
	case e.Calls > 0:
		return fmt.Sprintf("%d calls", e.Calls)
	case e.Seconds > 0:
		return goText(e.Seconds) + " s"
	}
	return "none"
}

// goText writes an option's value.
func goText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case string:
		return stringText(v)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

func texts(list []int) []string {
	var out []string
	for _, n := range list {
		out = append(out, strconv.Itoa(n))
	}
	return out
}

// contentHash is the hash of what a dataset holds.
func contentHash(d *dsl.Dataset) string {
	text, err := json.Marshal([]any{d.Columns, d.Rows}) // maps are written by sorted keys
	if err != nil {
		return fmt.Sprint("not written: ", err) // a number that is not finite, which datasets refuse
	}
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}
