package lint

import (
	"versus/dsl"
	"versus/interp/plan"
)

var r01 = &Rule{
	ID: "R01", Slug: "warmup-missing", Severity: Warning, Auto: true,
	What: "A test is measured without a warm-up, or with one of length zero. It is an error if the test's percentiles or maxima are reported.",
	Why: "Connecting, compiling, filling caches and growing windows are another experiment than the steady state. " +
		"In the published MQTT cells of AimRT, one call of about 100 ms makes 8.3 to 8.8% of all latency; a maximum is nothing but the start.",
	Source:  "Georges, Buytaert, Eeckhout 2007; Hoefler, Belli 2015, section 4.1.2.",
	Example: "methodology \"steady\" {\n  measure { duration = \"10s\" }\n}",
	Cure:    "methodology \"steady\" {\n  warmup { duration = \"10s\" }\n  measure { duration = \"10s\" }\n}",
	Check:   warmupMissing,
}

func warmupMissing(p *Pass) {
	for _, s := range p.measured(func(t *dsl.Test) *dsl.Block {
		if b := p.Written(t, "warmup"); b != nil {
			return b
		}
		return p.Home(t)
	}) {
		if !s.any(func(t *dsl.Test) bool { return t.Methodology.Warmup == dsl.Extent{} }) {
			continue
		}
		f := p.Report(s.at, "There is no warm-up, so that the start of processes and connections is measured as well (%s). Write warmup { duration = \"10s\" }.", namesOf(s.tests))
		if s.any(p.readsTail) {
			f.As(Error)
		}
		switch {
		case s.block == nil || s.block.Type != "warmup":
			f.Insert(s.block, "warmup { duration = \"10s\" }")
		case len(s.block.Attrs) == 1 && written(&s.block.Attrs[0]):
			a := s.block.Attrs[0]
			if value := map[string]string{"duration": `"10s"`}[a.Name]; value != "" {
				f.Edit(a.Expr.Range(), value)
			} else { // calls, messages
				f.Edit(a.Expr.Range(), "10000")
			}
		}
	}
}

// readsTail reports whether a report reads percentiles or maxima of a test.
func (p *Pass) readsTail(t *dsl.Test) bool {
	found := false
	for _, u := range p.UsesOf(t) {
		if !isTail(u.Metric) || found {
			continue
		}
		p.CellsOf(u, func(c *plan.Cell) bool {
			found = c.Test == t
			return !found
		})
	}
	return found
}
