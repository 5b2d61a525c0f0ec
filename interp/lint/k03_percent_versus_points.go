package lint

import (
	"strings"

	"github.com/hashicorp/hcl/v2"

	"versus/dsl"
	"versus/stdlib/metric"
)

var k03 = &Rule{
	ID: "K03", Slug: "percent-versus-points", Severity: Error, Auto: true,
	What: "A comparison takes the relative difference of a metric that is itself a percentage (loss.rate, errors.rate, the CPU of a role), or prints the difference of two percentages with format = \"percent\".",
	Why: "From 1% to 2% loss is one percentage point more and 100% more; printed as a percentage, the reader can't tell which of the two is meant, and near 0 the relative one explodes. " +
		"Percentages are compared in percentage points (pp): the difference times 100, as a number.",
	Source: "Fleming and Wallace 1986 (what a relative number is relative to); the loss columns of AimRT's tables, which are percentages near 0.",
	Example: `comparison "loss" {
  baseline = { backend = backend.mqtt }
  value    = (candidate.loss.rate - baseline.loss.rate) / baseline.loss.rate
  format   = "percent"
}`,
	Cure: `comparison "loss" {
  baseline = { backend = backend.mqtt }
  value    = (candidate.loss.rate - baseline.loss.rate) * 100
  format   = "number"
  unit     = "pp"
}`,
	Check: func(p *Pass) {
		for _, c := range p.Scenario.Comparisons {
			switch s := p.shape(c.Name); {
			case percentOfPercent(s):
				f := p.Report(c.Value.Range(), "This is a percentage of %s, which is a percentage already: from 1%% to 2%% it says 100%%. Compare in percentage points: the difference times 100.", s.p.metric.Name)
				p.inPoints(f, c, s)
			case s.form == difference && s.oneMetric() && isShare(s.p.metric) && c.Format == "percent":
				f := p.Report(c.Value.Range(), "This difference of percentages is printed as a percentage: from 1%% to 2%% it says 1%%, which reads as a relative difference. Print it in percentage points: times 100, format = \"number\".")
				p.inPoints(f, c, s)
			}
		}
	},
}

// percentOfPercent reports whether a formula is a relative difference of a
// metric that is a share. A plain ratio is K05's, which knows about zeros.
func percentOfPercent(s shape) bool {
	return (s.form == excess || s.form == share) && s.oneMetric() && isShare(s.p.metric)
}

// isShare reports whether a metric is read as a percentage.
func isShare(m metric.Metric) bool {
	return m.Unit == "" && (m.Combine == metric.Pooled || strings.HasPrefix(m.Name, "cpu."))
}

// inPoints makes the formula of a comparison a difference in percentage points.
func (p *Pass) inPoints(f *Finding, c *dsl.Comparison, s shape) {
	p.asDifference(f, c, s, "(%s - %s) * 100")
	f.Set(p.block(c.Range), "unit", `"pp"`)
}

// asDifference replaces a relative formula by the difference that it divides,
// printed as a number. A formula with a comment in it is left as it is.
func (p *Pass) asDifference(f *Finding, c *dsl.Comparison, s shape, layout string) {
	b := p.block(c.Range)
	if b == nil || strings.ContainsAny(c.Value.Source, "#") || strings.Contains(c.Value.Source, "//") || strings.Contains(c.Value.Source, "/*") {
		return
	}
	first, second := s.p, s.q
	if s.form == share {
		first, second = second, first
	}
	f.Edit(c.Value.Range(), strings.Replace(strings.Replace(layout, "%s", first.String(), 1), "%s", second.String(), 1))
	if a := b.Attr("format"); a != nil {
		f.Edit(a.Expr.Range(), `"number"`)
	}
}

// inPlace reports whether a range is inside another.
func inPlace(inner, outer hcl.Range) bool {
	return inner.Filename == outer.Filename && inner.Start.Byte >= outer.Start.Byte && inner.End.Byte <= outer.End.Byte
}
