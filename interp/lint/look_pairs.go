package lint

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"versus/drivers"
	"versus/dsl"
	"versus/interp/plan"
)

// Pairs are the cells that a comparison compares.
type Pairs struct {
	Comparison *dsl.Comparison
	All        []Pair
	// Sides are the cells of either side, in the order of the plan.
	Sides []*plan.Cell
	// Cut says that a test has too many cells to look at, so that there are
	// more pairs than these.
	Cut bool

	pairing *plan.Pairing
}

// Pair is a candidate with its baseline, nil if it has none. Both may have been
// refused: then the report prints no value for them.
type Pair struct {
	Baseline, Candidate *plan.Cell
	Refused             string
}

// Pairs are the pairs of a comparison, as the report will make them.
func (p *Pass) Pairs(c *dsl.Comparison) *Pairs {
	if ps := p.known.pairs[c]; ps != nil {
		return ps
	}
	ps := &Pairs{Comparison: c}
	for _, t := range p.Scenario.Tests {
		all := p.Cells(t, func(cell *plan.Cell) bool {
			if plan.SideOf(c, cell) != plan.Outside {
				ps.Sides = append(ps.Sides, cell)
			}
			return true
		})
		ps.Cut = ps.Cut || !all
	}
	ps.pairing = plan.NewPairing(c, ps.Sides)
	for _, cell := range ps.Sides {
		if plan.SideOf(c, cell) == plan.IsCandidate {
			b, why := ps.pairing.BaselineOf(cell)
			ps.All = append(ps.All, Pair{b, cell, why})
		}
	}
	if p.known.pairs == nil {
		p.known.pairs = map[*dsl.Comparison]*Pairs{}
	}
	p.known.pairs[c] = ps
	return ps
}

// Measured calls visit for the pairs of all comparisons whose both sides are
// measured here, not replayed, and says of those cut short that they are.
func (p *Pass) Measured(visit func(ps *Pairs, pair Pair)) {
	for _, c := range p.Scenario.Comparisons {
		ps := p.Pairs(c)
		if ps.Cut {
			p.NotChecked(c.Range, "A test of this comparison has more than %d cells; the pairs among the others were not looked at.", maxCells)
		}
		for _, pair := range ps.All {
			if pair.Baseline != nil && live(pair.Baseline) && live(pair.Candidate) {
				visit(ps, pair)
			}
		}
	}
}

func live(c *plan.Cell) bool { return c.Workload.Pattern != drivers.Replay }

// Meant reports whether the comparison says that its sides differ in
// something on purpose: it names the axis, or lists it in across.
func (ps *Pairs) Meant(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return ps.pairing.Named(name) || slices.Contains(ps.Comparison.Across, name)
	})
}

// placeOf is an argument of a comparison as written, nil if it is not.
func (p *Pass) placeOf(c *dsl.Comparison, argument string) *dsl.Argument {
	if b := p.Scenario.Find(c.Range); b != nil {
		return b.Attr(argument)
	}
	return nil
}

// Roles are the hosts of the roles of a cell, by role; nil if the driver does
// not say which roles it has.
func (p *Pass) Roles(c *plan.Cell) (roles []drivers.Role, hosts map[string]*dsl.Host) {
	d, ok := p.Drivers.Find(c.Backend.Driver)
	if !ok || d.Roles == nil {
		return nil, nil
	}
	roles, err := d.Roles(c.Workload)
	if err != nil {
		return nil, nil
	}
	hosts = map[string]*dsl.Host{}
	for _, r := range roles {
		hosts[r.Name] = c.Place[r.Name]
		if hosts[r.Name] == nil {
			hosts[r.Name] = c.Place[""]
		}
	}
	return roles, hosts
}

// machineOf names the machine of a host: all local hosts are the same.
func machineOf(h *dsl.Host) string {
	if h == nil || h.Kind == "local" {
		return "this machine"
	}
	return h.Kind + " " + h.Name
}

// machines are the machines of a cell, sorted, each once.
func (p *Pass) machines(c *plan.Cell) []string {
	_, hosts := p.Roles(c)
	set := map[string]bool{}
	for _, h := range hosts {
		set[machineOf(h)] = true
	}
	return slices.Sorted(maps.Keys(set))
}

// sameText compares values of options as JSON writes them: maps sorted.
func sameText(a, b any) bool { return text(a) == text(b) }

func text(v any) string {
	if v == nil {
		return "nothing"
	}
	t, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	return string(t)
}

// cellText names a cell by the values of some axes: "backend = http, payload = 8KiB".
func cellText(c *plan.Cell, axes []string) string {
	var parts []string
	for _, a := range axes {
		if v, ok := c.Axis(a); ok {
			parts = append(parts, a+" = "+dsl.Label(v))
		}
	}
	return strings.Join(parts, ", ")
}

// twins reports whether two backends are the same system with the same
// options under two names: a pair of them measures the noise.
func twins(a, b *dsl.Backend) bool {
	return a != b && a.Driver == b.Driver && sameText(a.Options, b.Options)
}
