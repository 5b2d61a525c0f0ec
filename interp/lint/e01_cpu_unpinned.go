package lint

import (
	"fmt"
	"slices"
	"strings"

	"versus/drivers"
	"versus/dsl"
	"versus/interp/plan"
)

var e01 = &Rule{
	ID: "E01", Slug: "cpu-unpinned", Severity: Warning,
	What:    "A role of a test (client, server, broker, publisher, subscriber) is bound to no CPUs, or the role that makes the load shares CPUs with one that serves it.",
	Why:     "The kernel moves unbound processes, differently in every run, and a client that takes CPU time from its server measures both. The spread between runs grows, and a fast system looks slower the harder it is driven.",
	Source:  "Mytkowicz, Diwan, Hauswirth and Sweeney 2009 (ASPLOS, Producing wrong data without doing anything obviously wrong). AimRT 0.8 states \"3 cores\" of a processor with two kinds of core, and not which.",
	Example: "test \"rpc\" \"capacity\" {\n  backend = backend.grpc\n}\n",
	Cure:    "host \"local\" \"callers\" { cpus = \"0\" }\n\nhost \"local\" \"servers\" { cpus = \"1\" }\n\ntest \"rpc\" \"capacity\" {\n  backend = backend.grpc\n  place   = { client = host.callers, server = host.servers }\n}\n",
	Check:   cpuUnpinned,
}

func cpuUnpinned(p *Pass) {
	var loose []*dsl.Test
	roles := []string{}
	for _, t := range p.Live() {
		all := p.Cells(t, func(c *plan.Cell) bool {
			rs, hosts := p.Roles(c)
			for _, r := range rs {
				if h := hosts[r.Name]; h == nil || len(h.CPUs) == 0 {
					if !slices.Contains(loose, t) {
						loose = append(loose, t)
					}
					if !slices.Contains(roles, r.Name) {
						roles = append(roles, r.Name)
					}
				}
			}
			if at := sharedCPUs(rs, hosts); at != "" {
				p.Report(t.Range, "%s. Give each role a host of its own, with CPUs of its own, in place.", upper(at))
			}
			return true
		})
		if !all {
			p.NotChecked(t.Range, "The test has more than %d cells; the placement of the others was not looked at.", maxCells)
		}
	}
	if len(loose) > 0 {
		p.Report(loose[0].Range, "Nothing binds %s to CPUs (%s), so that the kernel moves them between CPUs while they are measured. Declare hosts with cpus = \"0\" and the like, and place the roles on them.",
			strings.Join(roles, " and "), namesOf(loose))
	}
}

// sharedCPUs says which role that serves has CPUs in common with one that makes
// the load, both being bound; "" if none.
func sharedCPUs(roles []drivers.Role, hosts map[string]*dsl.Host) string {
	for _, a := range roles {
		for _, b := range roles {
			x, y := hosts[a.Name], hosts[b.Name]
			if !a.Active || b.Active || x == nil || y == nil || machineOf(x) != machineOf(y) {
				continue
			}
			if slices.ContainsFunc(x.CPUs, func(cpu int) bool { return slices.Contains(y.CPUs, cpu) }) {
				return fmt.Sprintf("the %s, which makes the load, is on %s, and the %s that it loads on %s", a.Name, cpusText(x), b.Name, cpusText(y))
			}
		}
	}
	return ""
}
