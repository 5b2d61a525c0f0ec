package lint

import (
	"maps"
	"slices"

	"versus/interp/plan"
)

var f03 = &Rule{
	ID: "F03", Slug: "different-hosts", Severity: Error,
	What: "The baseline and the candidate of a comparison run on different machines. If the machines are what is compared, the comparison names the axis `host`, or writes `across = [\"host\"]`, and has the same backend on both sides. " +
		"Without that the report refuses the pair and prints no value; two local hosts are one machine, and their CPU sets are F01's.",
	Why:     "Two machines differ by more than the systems under test do. Even two virtual machines of one type, of one provider, differ by more than most improvements.",
	Source:  "Laaber, Scheuner and Leitner 2019 (EMSE, Software microbenchmarking in the cloud): differences are found reliably when both sides run on the same instance, in random order.",
	Example: "test \"rpc\" \"capacity\" {\n  host = each.backend == backend.grpc ? host.near : host.far\n  sweep { backend = [backend.grpc, backend.http] }\n}\n",
	Cure:    "test \"rpc\" \"capacity\" {\n  host = host.near\n  sweep { backend = [backend.grpc, backend.http] }\n}\n",
	Check: func(p *Pass) {
		p.Measured(func(ps *Pairs, pair Pair) {
			b, c := pair.Baseline, pair.Candidate
			m, n := p.machines(b), p.machines(c)
			if len(m) == 0 || len(n) == 0 || (len(m) > 1) != (len(n) > 1) {
				return // F04's
			}
			role, same := p.samePlaces(b, c)
			if same || ps.Meant("host") && b.Backend == c.Backend {
				return
			}
			_, left := p.Roles(b)
			_, right := p.Roles(c)
			p.Report(ps.Comparison.Range, "The %s of %s runs on %s, that of %s on %s. Run both sides on the same machines.",
				role, b.Backend.Title, machineOf(left[role]), c.Backend.Title, machineOf(right[role]))
		})
	},
}

// samePlaces reports whether the roles that two cells have in common are on
// the same machines, and if not, one that is not.
func (p *Pass) samePlaces(b, c *plan.Cell) (role string, same bool) {
	_, left := p.Roles(b)
	_, right := p.Roles(c)
	for _, role := range slices.Sorted(maps.Keys(left)) {
		if other, ok := right[role]; ok && machineOf(left[role]) != machineOf(other) {
			return role, false
		}
	}
	return "", true
}
