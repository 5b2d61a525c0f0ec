package lint

import (
	"github.com/hashicorp/hcl/v2"

	"versus/dsl"
	"versus/interp/plan"
)

var e03 = &Rule{
	ID: "E03", Slug: "frequency-scaling", Severity: Warning,
	What: "A host on which something is measured requires a frequency governor other than `performance`. " +
		"If it requires none, nothing is known before the run: then the rule is not checked, the journal records the governor, and a run resumed under another one is refused.",
	Why:     "The other governors change the clock with the load, so that the system that leaves the processor idle more is measured on a slower one; and with the temperature, so that what is measured later is too.",
	Source:  "google/benchmark, docs/reducing_variance.md, which warns at start-up; Hoefler and Belli 2015 (SC), section 4.1.",
	Example: "host \"local\" \"servers\" {\n  cpus    = \"1\"\n  require = { governor = \"powersave\" }\n}\n",
	Cure:    "host \"local\" \"servers\" {\n  cpus    = \"1\"\n  require = { governor = \"performance\" }\n}\n",
	Check:   frequencyScaling,
}

func frequencyScaling(p *Pass) {
	var unknown *dsl.Test
	for _, t := range p.Live() {
		all := p.Cells(t, func(c *plan.Cell) bool {
			_, hosts := p.Roles(c)
			for _, h := range hosts {
				switch governor := h.Require.Governor; governor {
				case "performance":
				case "":
					if unknown == nil {
						unknown = t
					}
				default:
					p.Report(p.requireAt(h), "Host %s is to run with the governor %q, which changes the clock while it is measured. Require governor = \"performance\", and set it.", h.Name, governor)
				}
			}
			return true
		})
		if !all && unknown == nil {
			unknown = t
		}
	}
	if unknown != nil {
		p.NotChecked(unknown.Range, "Nothing says which frequency governor the CPUs have. A host with require = { governor = \"performance\" } refuses to run under another.")
	}
}

func (p *Pass) requireAt(h *dsl.Host) hcl.Range {
	if b := p.Scenario.Find(h.Range); b != nil && b.Attr("require") != nil {
		return b.Attr("require").Range
	}
	return h.Range
}
