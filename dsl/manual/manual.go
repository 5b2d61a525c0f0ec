// Package manual writes the reference manual of the scenario language,
// docs/language.md: an introduction for people, then every block, argument,
// function and metric from the same data that scenarios are decoded by, so
// that the manual can't differ from the program.
//
// It knows no block or function itself.
package manual

import (
	_ "embed"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"versus/dsl/schema"
	"versus/stdlib/functions"
	"versus/stdlib/metric"
)

//go:embed intro.md
var intro string

// Write writes the manual as Markdown. lang is the root of the language, whose
// blocks are those of a file. The error is that of w.
func Write(w io.Writer, lang *schema.Block, funcs []functions.Doc, metrics []metric.Metric) error {
	m := &manual{}
	m.WriteString(intro)
	m.line("\n## Blocks\n")
	m.contents(lang)
	for i := range lang.Blocks {
		m.block(&lang.Blocks[i], "", 3)
	}
	m.functions(funcs)
	m.metrics(metrics)
	_, err := io.WriteString(w, m.String())
	return err
}

type manual struct {
	strings.Builder
	described []described
}

// described is a block inside another, and the header of that.
type described struct {
	block *schema.Block
	outer string
}

func (m *manual) line(format string, args ...any) {
	fmt.Fprintf(m, format, args...)
	m.WriteByte('\n')
}

// contents lists the blocks in one table.
func (m *manual) contents(lang *schema.Block) {
	m.line("| block | says |\n|---|---|")
	for _, b := range lang.Blocks {
		summary, _, _ := strings.Cut(b.Doc, ". ")
		m.line("| [`%s`](#%s) | %s |", cell(header(&b, "")), anchor(header(&b, "")), cell(strings.TrimSuffix(summary, ".")))
	}
	m.line("")
}

// header is a block as it is written, with names of labels in capitals:
// backend "DRIVER" "NAME".
func header(b *schema.Block, kind string) string {
	text := b.Type
	for _, l := range b.Labels {
		label := strconv.Quote(strings.ToUpper(l.Name))
		if l.Kind && kind != "" {
			label = strconv.Quote(kind)
		}
		if l.Optional {
			label = "[" + label + "]"
		}
		text += " " + label
	}
	return text
}

// block describes a block, its kinds and the blocks in it. outer is the header
// of the block around it.
func (m *manual) block(b *schema.Block, outer string, level int) {
	title := header(b, "")
	m.heading(level, title)
	m.line("%s%s\n", b.Doc, notBuilt(b.NotBuilt))
	m.line("%s\n", occurrence(b, outer))
	if b.Example != "" {
		m.line("```hcl\n%s\n```\n", strings.TrimSpace(b.Example))
	}
	m.arguments(b.Attrs, b.Free)
	if len(b.Kinds) > 0 {
		m.kinds(b, level)
	}
	m.inner(b.Blocks, title, min(level+1, 6))
}

// inner describes the blocks in a block; of those that were described before,
// as the same in another block, it says where.
func (m *manual) inner(blocks []schema.Block, outer string, level int) {
	var same []string
	var where string
	for i := range blocks {
		known := slices.IndexFunc(m.described, func(d described) bool { return reflect.DeepEqual(d.block, &blocks[i]) })
		if known >= 0 {
			same, where = append(same, "`"+blocks[i].Type+"`"), m.described[known].outer
		}
	}
	if len(same) > 0 {
		m.line("Blocks in it, as in [`%s`](#%s): %s.\n", where, anchor(where), strings.Join(same, ", "))
	}
	for i := range blocks {
		if !slices.Contains(same, "`"+blocks[i].Type+"`") {
			m.described = append(m.described, described{&blocks[i], outer})
			m.block(&blocks[i], outer, level)
		}
	}
}

func occurrence(b *schema.Block, outer string) string {
	place := "In a scenario"
	if outer != "" {
		place = "In `" + outer + "`"
	}
	switch {
	case b.Required && b.Many:
		return place + ": once or more."
	case b.Required:
		return place + ": exactly once."
	case b.Many:
		return place + ": any number of times."
	}
	return place + ": at most once."
}

// kinds lists the choices of the label that has some, each with the first
// paragraph of its description, and gives a section to those that add arguments
// or blocks or have more to say.
func (m *manual) kinds(b *schema.Block, level int) {
	name := "kind"
	for _, l := range b.Labels {
		if l.Kind {
			name = l.Name
		}
	}
	m.line("| %s | is |\n|---|---|", name)
	for _, k := range b.Kinds {
		first, _, _ := strings.Cut(k.Doc, "\n\n")
		m.line("| `%s` | %s |", cell(k.Name), cell(first+notBuilt(k.NotBuilt)))
	}
	m.line("")
	for _, k := range b.Kinds {
		if len(k.Attrs)+len(k.Blocks) == 0 && !strings.Contains(k.Doc, "\n\n") {
			continue
		}
		title := header(b, k.Name)
		m.heading(min(level+1, 6), title)
		m.line("%s%s\n", k.Doc, notBuilt(k.NotBuilt))
		m.arguments(k.Attrs, nil)
		m.inner(k.Blocks, title, min(level+2, 6))
	}
}

func (m *manual) heading(level int, title string) {
	m.line("%s `%s`\n", strings.Repeat("#", level), title)
}

func (m *manual) arguments(attrs []schema.Attr, free *schema.Attr) {
	if len(attrs) == 0 && free == nil {
		return
	}
	m.line("| argument | value | known at | default | meaning |\n|---|---|---|---|---|")
	for i := range attrs {
		m.argument("`"+cell(attrs[i].Name)+"`", &attrs[i])
	}
	if free != nil {
		m.argument("any other name", free)
	}
	m.line("")
}

func (m *manual) argument(name string, a *schema.Attr) {
	value := string(a.Type)
	if len(a.OneOf) > 0 {
		quoted := make([]string, len(a.OneOf))
		for i, v := range a.OneOf {
			quoted[i] = "`" + strconv.Quote(v) + "`"
		}
		value = strings.Join(quoted, ", ")
	}
	fallback := ""
	switch {
	case a.Required:
		fallback = "required"
	case a.Default != "":
		fallback = "`" + a.Default + "`"
	}
	meaning := a.Doc
	if a.Max > a.Min {
		meaning += " From " + bound(a.Min, a.Type) + " to " + bound(a.Max, a.Type) + "."
	}
	if a.Example != "" {
		meaning += " For example `" + a.Example + "`."
	}
	m.line("| %s | %s | %s | %s | %s |", name, cell(value), a.Time, cell(fallback), cell(meaning+notBuilt(a.NotBuilt)))
}

// bound is a limit of a quantity in its base unit.
func bound(v float64, t schema.Type) string {
	text := strconv.FormatFloat(v, 'f', -1, 64)
	if len(text) > 10 {
		text = strings.Replace(strconv.FormatFloat(v, 'g', -1, 64), "e+", "e", 1)
	}
	switch t {
	case schema.Duration:
		return text + " s"
	case schema.Size:
		return text + " B"
	case schema.Rate:
		return text + "/s"
	case schema.Bandwidth:
		return text + " bit/s"
	}
	return text
}

func notBuilt(why string) string {
	if why == "" {
		return ""
	}
	return " **Not built yet**: it parses, and is refused."
}

func (m *manual) functions(funcs []functions.Doc) {
	m.line("## Functions\n\nFunctions can be called at any time, and always give the same result for the same arguments.\n")
	m.line("| function | gives | example |\n|---|---|---|")
	for _, f := range funcs {
		example := ""
		if f.Example != "" {
			example = "`" + f.Example + "`"
		}
		if f.Example != "" && f.Result != "" {
			example += " is `" + f.Result + "`"
		}
		m.line("| `%s` | %s | %s |", cell(f.Signature), cell(f.Description), cell(example))
	}
	m.line("")
}

var (
	directions = map[metric.Direction]string{metric.Lower: "lower", metric.Higher: "higher", metric.Neither: ""}
	combines   = map[metric.Combine]string{
		metric.MeanOfKept: "mean of the runs kept",
		metric.Merged:     "merged histograms of all runs",
		metric.MaxOfAll:   "maximum of all runs",
		metric.MinOfAll:   "minimum of all runs",
		metric.SumOfAll:   "sum of all runs",
		metric.Pooled:     "sum by sum, all runs",
	}
)

func (m *manual) metrics(metrics []metric.Metric) {
	m.line("## Metrics\n\nWhat a run measures, in base units. Not every test and driver gives every metric; one that is not\nmeasured is an error where a scenario uses it, or prints `N/A`. *All runs* are all valid ones.\n")
	m.line("Besides those in the table there are percentiles of each distribution (`%s`), as `latency.p99`,\n`latency.p99_9` or `quantile(latency, 0.999)`, by nearest rank from the merged histograms of all\nvalid runs; and by role or kind `cpu.ROLE` (share of one core), `memory.ROLE` (bytes) and\n`errors.KIND`.\n",
		strings.Join(metric.Distributions, "`, `"))
	m.line("| metric | unit | better | of a cell | meaning |\n|---|---|---|---|---|")
	for _, x := range metrics {
		m.line("| `%s` | %s | %s | %s | %s |", cell(x.Name), cell(x.Unit), directions[x.Better], combines[x.Combine], cell(x.Doc))
	}
}

// cell makes text fit for a cell of a Markdown table.
func cell(text string) string {
	return strings.TrimSpace(strings.NewReplacer("|", "\\|", "\n", " ").Replace(text))
}

// anchor is the name that Markdown readers give to a heading.
func anchor(heading string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(heading) {
		switch {
		case r == ' ' || r == '-':
			b.WriteByte('-')
		case r == '_' || 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			b.WriteRune(r)
		}
	}
	return b.String()
}
