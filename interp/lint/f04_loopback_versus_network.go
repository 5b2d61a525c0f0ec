package lint

import (
	"slices"
	"strings"

	"versus/drivers"
	"versus/dsl"
	"versus/interp/plan"
)

var f04 = &Rule{
	ID: "F04", Slug: "loopback-versus-network", Severity: Error,
	What: "A comparison pairs a cell whose roles are all on one machine with one whose roles are on several, " +
		"or a table shows both kinds under the same row. A comparison of one backend with itself, which names the axis `host` or writes `across = [\"host\"]`, is one of the network and not reported.",
	Why:     "Loopback has no wire, no network card and no other machine's queue: tens of microseconds lie between the two before any middleware does anything.",
	Source:  "RFC 2544 (1999): results depend on the set-up and are reported with it. AimRT 0.8 publishes its tables of one host and of two hosts apart; its iceoryx exists only on one, its mqtt only on two.",
	Example: "test \"rpc\" \"capacity\" {\n  place = { client = host.near, server = each.backend == backend.mqtt ? host.far : host.near }\n  sweep { backend = [backend.http, backend.mqtt] }\n}\n",
	Cure:    "test \"rpc\" \"capacity\" {\n  place = { client = host.near, server = host.far }\n  sweep { backend = [backend.http, backend.mqtt] }\n}\n",
	Check:   loopbackVersusNetwork,
}

func loopbackVersusNetwork(p *Pass) {
	p.Measured(func(ps *Pairs, pair Pair) {
		b, c := pair.Baseline, pair.Candidate
		m, n := p.machines(b), p.machines(c)
		if len(m) == 0 || len(n) == 0 || (len(m) > 1) == (len(n) > 1) || ps.Meant("host") && b.Backend == c.Backend {
			return
		}
		p.Report(ps.Comparison.Range, "Cells of %s run on %s, those of %s on %s: one side passes a network that the other does not have. Compare cells of the same placement only.",
			b.Backend.Title, strings.Join(m, " and "), c.Backend.Title, strings.Join(n, " and "))
	})
	for _, t := range p.Scenario.Tables {
		p.mixedTable(t)
	}
}

// mixedTable finds rows that a reader takes for the same placement: what names
// them, but for the backend, is equal, and the placement is not.
func (p *Pass) mixedTable(t *dsl.Table) {
	axes := []string{}
	for _, e := range slices.Concat(t.Rows, t.Columns) {
		if e.AllAxes {
			return
		}
		axes = append(axes, e.Axes...)
	}
	if slices.Contains(axes, "host") || slices.Contains(axes, "place") {
		return
	}
	axes = slices.DeleteFunc(axes, func(a string) bool { return a == "backend" })
	across := map[string]bool{} // by what names a row: whether it passes a network
	mixed := false
	for _, test := range p.Scenario.Tests {
		if test.Pattern == string(drivers.Replay) || len(t.Tests) > 0 && !slices.Contains(t.Tests, test.Name) {
			continue
		}
		p.Cells(test, func(c *plan.Cell) bool {
			m := p.machines(c)
			if len(m) == 0 {
				return true
			}
			name := cellText(c, axes)
			was, seen := across[name]
			across[name] = len(m) > 1
			mixed = mixed || seen && was != (len(m) > 1)
			return !mixed
		})
	}
	switch {
	case !mixed:
	case t.Where != nil:
		p.NotChecked(t.Where.Range(), "Whether the filter of table %s keeps cells on one machine apart from those on several is known only from the results.", t.Name)
	default:
		p.Report(t.Range, "The table shows cells on one machine beside cells on several, and nothing in a row says which is which. Name the host in rows, as each.host, or give each placement a table of its own.")
	}
}
