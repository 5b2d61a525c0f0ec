package dsl

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"versus/dsl/schema"
	"versus/stdlib/dataset"
)

// build turns the blocks into a Scenario: it declares all names, then
// evaluates and checks block after block.
func (l *loader) build() *Scenario {
	s := &Scenario{scope: l.scope, Written: asWritten(l.nodes)}
	s.headers = headers(s.Written, map[hcl.Range]*Block{})
	l.scope.funcs = l.functions()
	settings := l.settings()
	for _, n := range l.nodes {
		l.declare(n, s, settings)
	}
	l.unusedSettings(settings)
	l.scenarioBlock(s)
	for _, n := range l.nodes {
		if n.stub {
			continue
		}
		switch n.spec.Type {
		case "variable":
			l.scope.get("var", n.name())
			l.validate(n)
		case "locals":
			for _, a := range n.attrs {
				l.scope.get("local", a.name)
			}
		case "host":
			s.Hosts = append(s.Hosts, l.host(n))
		case "link":
			s.Links = append(s.Links, l.link(n))
		case "backend":
			s.Backends = append(s.Backends, l.backend(n))
		case "payload":
			v, _ := l.scope.get("payload", n.name())
			s.Payloads = append(s.Payloads, &PayloadDef{Name: n.name(), Value: v, Range: n.rng})
		case "dataset":
			l.scope.get("dataset", n.name())
			if d := l.data[n.name()]; d != nil {
				s.Datasets = append(s.Datasets, d)
			}
		case "lint":
			l.lint(n, s)
		}
	}
	l.checkLinks(s)
	l.buildTests(s)
	l.buildResults(s)
	return s
}

// each1 calls f for the blocks of one type.
func (l *loader) each1(kind string, f func(*node)) {
	for _, n := range l.nodes {
		if n.spec.Type == kind && !n.stub {
			f(n)
		}
	}
}

// first returns the first block of a type that may stand once.
func (l *loader) first(kind string) *node {
	for _, n := range l.nodes {
		if n.spec.Type == kind {
			return n
		}
	}
	return nil
}

// declare makes the name of a block known, with the value that it stands for.
func (l *loader) declare(n *node, s *Scenario, settings []*setting) {
	title := func() string {
		if n.stub || n.attr("title") == nil {
			return n.name()
		}
		return l.str(n, "title")
	}
	switch n.spec.Type {
	case "variable":
		l.declareName("var", n.name(), n.rng, func() cty.Value { return l.variable(n, s, settings) })
	case "locals":
		for _, a := range n.attrs {
			l.declareName("local", a.name, a.rng, func() cty.Value { return l.value(a) })
		}
	case "backend":
		l.declareName("backend", n.name(), n.rng, func() cty.Value {
			return reference("backend", "driver", n.labels[0], "name", n.name(), "title", title())
		})
	case "host":
		l.declareName("host", n.name(), n.rng, func() cty.Value { return hostReference(n.name(), title()) })
	case "test":
		l.declareName("test", n.name(), n.rng, func() cty.Value {
			return reference("test", "pattern", n.labels[0], "name", n.name(), "title", title(), "group", l.groupOf(n))
		})
	case "link", "methodology":
		l.declareName(n.spec.Type, n.name(), n.rng, func() cty.Value { return reference(n.spec.Type, "name", n.name()) })
	case "payload":
		l.declareName("payload", n.name(), n.rng, func() cty.Value { return l.payloadValue(n) })
	case "dataset":
		l.declareName("dataset", n.name(), n.rng, func() cty.Value { return l.dataset(n) })
	}
}

func hostReference(name, title string) cty.Value {
	return reference("host", "name", name, "title", title)
}

func (l *loader) groupOf(n *node) string {
	if n.stub {
		return ""
	}
	return l.str(n, "group")
}

func (l *loader) declareName(root, name string, rng hcl.Range, eval func() cty.Value) {
	if earlier := l.scope.declare(root, name, rng, eval); earlier != nil {
		l.fail(&rng, "Duplicate name", "There is already a %s %q at %s.", loadRoots[root], name, earlier.rng)
	}
}

func (l *loader) scenarioBlock(s *Scenario) {
	var found *node
	l.each1("scenario", func(n *node) {
		if found != nil {
			l.fail(&n.rng, "Duplicate block", "There is already a scenario block at %s; a folder holds one scenario.", found.rng)
			return
		}
		found = n
	})
	if found == nil {
		if !l.diags.HasErrors() {
			l.fail(l.top, "Missing block", "A scenario needs a block scenario \"NAME\" { }.")
		}
		return
	}
	s.Name, s.Title, s.Description = found.labels[0], l.str(found, "title"), l.str(found, "description")
	if strings.TrimSpace(s.Name) == "" || len(s.Name) > 100 {
		l.fail(&found.rng, "Invalid name", "A scenario's name has 1 to 100 characters.")
	}
	if s.Title == "" {
		s.Title = s.Name
	}
	if v := l.num(found, "language"); v > Version {
		rng := found.attr("language").expr.Range()
		l.fail(&rng, "Newer language", "The scenario needs version %v of the language; this versus speaks version %d.", v, Version)
	}
}

func (l *loader) backend(n *node) *Backend {
	b := &Backend{Driver: n.labels[0], Name: n.name(), Title: l.str(n, "title"), Range: n.rng}
	if b.Title == "" {
		b.Title = b.Name
	}
	b.Options = l.options(n, n.kind.Attrs, n.kind.Blocks)
	return b
}

// options evaluates the arguments and blocks that belong to a driver.
func (l *loader) options(n *node, attrs []schema.Attr, blocks []schema.Block) map[string]any {
	options := map[string]any{}
	for _, spec := range attrs {
		var x any
		if spec.Type == schema.DatasetRef {
			x = l.datasetOption(n, spec.Name)
		} else {
			x = l.get(n, spec.Name)
		}
		if x != nil {
			options[spec.Name] = x
		}
	}
	for _, spec := range blocks {
		b := n.block(spec.Type)
		if b == nil || b.stub {
			continue
		}
		inner := spec.Attrs
		innerBlocks := spec.Blocks
		if b.kind != nil {
			inner = append(append([]schema.Attr{}, inner...), b.kind.Attrs...)
			innerBlocks = append(append([]schema.Block{}, innerBlocks...), b.kind.Blocks...)
		}
		m := l.options(b, inner, innerBlocks)
		if len(b.labels) > 0 {
			m["kind"] = b.labels[0]
		}
		options[spec.Type] = m
	}
	return options
}

// datasetOption hands a dataset to a driver.
func (l *loader) datasetOption(n *node, name string) any {
	a := n.attr(name)
	if a == nil {
		return nil
	}
	v := l.value(a)
	if name, ok := refersTo("dataset", v); ok && l.data[name] != nil {
		return l.data[name].Index
	}
	if v.IsWhollyKnown() {
		rng := a.expr.Range()
		l.fail(&rng, "Invalid value of "+name, "A reference dataset.NAME is wanted here.")
	}
	return nil
}

func (l *loader) payloadValue(n *node) cty.Value {
	a := n.attr("content")
	if a == nil || n.stub {
		return cty.DynamicVal
	}
	v := l.value(a)
	l.get(n, "content") // reports what is not a payload
	return v
}

// dataset reads the file of a dataset.
func (l *loader) dataset(n *node) cty.Value {
	if n.stub {
		return cty.DynamicVal
	}
	file := l.str(n, "file")
	if file == "" {
		return cty.DynamicVal
	}
	rng := n.attr("file").expr.Range()
	src, err := l.store.get(file, maxData)
	if err != nil {
		l.fail(&rng, "Dataset can't be read", "%s: %v.", file, err)
		return cty.DynamicVal
	}
	opts := dataset.Options{Units: l.texts(n, "units"), Names: l.texts(n, "names"), Loss: l.str(n, "loss"), Unit: l.str(n, "unit")}
	for _, na := range l.list(n, "na") {
		opts.NA = append(opts.NA, fmt.Sprint(na))
	}
	t, err := dataset.Read(n.labels[0], src, opts)
	if n.labels[0] == "hdr" && opts.Unit == "" {
		return cty.DynamicVal // reported as a missing or wrong argument
	}
	if err != nil {
		l.fail(&rng, "Dataset can't be read", "%s: %v.", file, err)
		return cty.DynamicVal
	}
	d := &Dataset{Format: n.labels[0], Environment: l.str(n, "environment"), Clock: l.str(n, "clock"), Index: dataset.NewIndex(n.name(), t), Range: n.rng}
	l.data[d.Name] = d
	return datasetValue(d)
}

func (l *loader) list(n *node, name string) []any {
	x, _ := l.get(n, name).([]any)
	return x
}

// texts evaluates a map of texts.
func (l *loader) texts(n *node, name string) map[string]string {
	m, _ := l.get(n, name).(map[string]any)
	texts := map[string]string{}
	for k, v := range m {
		s, ok := v.(string)
		if !ok {
			rng := n.attr(name).expr.Range()
			l.fail(&rng, "Invalid value of "+name, "%q must be a text in quotes.", k)
			continue
		}
		texts[k] = s
	}
	return texts
}

// datasetValue is a dataset as functions see it; what a row lacks is null.
func datasetValue(d *Dataset) cty.Value {
	columns := make([]cty.Value, len(d.Columns))
	for i, c := range d.Columns {
		columns[i] = cty.StringVal(c)
	}
	rows := make([]cty.Value, len(d.Rows))
	for i, r := range d.Rows {
		m := map[string]cty.Value{}
		for _, c := range d.Columns {
			switch x := r[c].(type) {
			case string:
				m[c] = cty.StringVal(x)
			case float64:
				m[c] = cty.NumberFloatVal(x)
			default:
				m[c] = cty.NullVal(cty.DynamicPseudoType)
			}
		}
		rows[i] = cty.ObjectVal(m)
	}
	return cty.ObjectVal(map[string]cty.Value{
		"kind": cty.StringVal("dataset"), "format": cty.StringVal(d.Format), "name": cty.StringVal(d.Name),
		"columns": cty.TupleVal(columns), "rows": cty.TupleVal(rows),
	})
}

func (l *loader) lint(n *node, s *Scenario) {
	for _, b := range n.blocks {
		s.Lint = append(s.Lint, &LintBlock{Rule: b.labels[0], Severity: l.str(b, "severity"), Reason: l.str(b, "reason"), Range: b.rng})
	}
}
