package lint

import (
	"strconv"

	"github.com/hashicorp/hcl/v2"

	"versus/dsl"
)

var t03 = &Rule{
	ID: "T03", Slug: "unit-missing", Severity: Warning, Auto: true,
	What: "The heading of a column of times, sizes or rates, or of a percentage that is printed as a number, says no unit. For a table with `columns` and `cell`, the title of the table says it. " +
		"Comparisons in percent or as a ratio print theirs.",
	Why:     "Within versus everything is in SI units, and a formula makes of it what it likes: 4.9 may be seconds, or microseconds. A number without a unit is not a measurement.",
	Source:  "BIPM, The International System of Units, 2019.",
	Example: `column "p99" { value = latency.p99 * 1e6 }`,
	Cure:    `column "p99 (us)" { value = latency.p99 * 1e6 }`,
	Check: func(p *Pass) {
		for _, t := range p.Scenario.Tables {
			for _, col := range p.columns(t) {
				p.checkUnitSaid(col)
			}
		}
		if len(p.Scenario.Tables) == 0 {
			for _, c := range p.Scenario.Comparisons {
				p.checkUnitOf(c)
			}
		}
	},
}

func (p *Pass) checkUnitSaid(col column) {
	m, factor, ok := p.shownMetric(col)
	k := kindOf(m)
	if !ok || k == noKind || k == ofShare && !sameFactor(factor, 100) {
		return
	}
	if _, _, _, found := col.text.unitIn(); found {
		return
	}
	right, known := unitWith(k, factor)
	if _, compared := col.comparison(); compared && k == ofShare {
		right.name = "pp"
	}
	if !known {
		p.Report(col.text.at, "%q says no unit; the value is %s (%s) times %g, which is no unit that is known. Multiply by 1e3 for ms, 1e6 for us.", col.text.words, m.Name, k, factor)
		return
	}
	f := p.Report(col.text.at, "%q says no unit. Its values are in %s.", col.text.words, right.name)
	b := p.block(col.table.Range)
	switch end := col.text.in.End; {
	case !col.text.in.Empty():
		f.Edit(hcl.Range{Filename: col.text.in.Filename, Start: end, End: end}, " ("+right.name+")")
	case col.pivot && b != nil && b.Attr("title") == nil:
		f.Insert(b, "title = "+strconv.Quote(col.text.words+" ("+right.name+")"))
	}
}

// checkUnitOf looks at a comparison that is shown in the tables of a scenario
// that declares none: its heading is its title and its unit.
func (p *Pass) checkUnitOf(c *dsl.Comparison) {
	s := p.shape(c.Name)
	k := kindOf(s.p.metric)
	if s.form != difference || !s.oneMetric() || c.Format != "number" || c.Unit != "" || k == noKind {
		return
	}
	f := p.Report(c.Value.Range(), "Comparison %q says no unit; its value is a difference of %s.", c.Name, s.p.metric.Name)
	if u, ok := unitWith(k, s.scale); ok {
		f.Set(p.block(c.Range), "unit", strconv.Quote(u.name))
	}
}
