package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"versus/drivers"
	"versus/dsl"
	"versus/interp/plan"
)

var f01 = &Rule{
	ID: "F01", Slug: "unequal-settings", Severity: Error,
	What: "The two sides of a comparison differ in a setting that is not what is compared: threads, connections, TLS, compression, batching, log level, CPU set, priority, payload, rate, concurrency. " +
		"Two backends of one driver that differ in a single option are compared for that option, and not reported. " +
		"A difference that is meant is listed in `across`, by the name of the option or argument.",
	Why: "The comparison then measures the setting. A server with four threads against one with a single thread says nothing of the two middlewares.",
	Source: "ZeroC's comparison of Ice 2.1 with TAO 1.4 (2005) lists equal hardware, compiler flags, a thread pool of 4, SYNC_WITH_TRANSPORT and the loopback interface for this reason, " +
		"and prints TAO's client strategy only: that TAO's server had 4 threads too is not evidenced.",
	Example: "backend \"grpc\" \"grpc\" {\n  gomaxprocs = 4\n}\n\nbackend \"http\" \"http\" {}\n\ncomparison \"vs_grpc\" {\n  baseline = { backend = backend.grpc }\n  value    = baseline.time_per_call / candidate.time_per_call\n}\n",
	Cure:    "backend \"grpc\" \"grpc\" {\n  gomaxprocs = 4\n}\n\nbackend \"http\" \"http\" {\n  gomaxprocs = 4\n}\n\ncomparison \"vs_grpc\" {\n  baseline = { backend = backend.grpc }\n  value    = baseline.time_per_call / candidate.time_per_call\n}\n",
	Check:   unequalSettings,
}

// commonSettings are the options that mean the same to every middleware that
// has them. What only one of them has can't be equal, and guarantees of
// delivery are F06's.
var commonSettings = []string{
	"gomaxprocs", "threads", "thread_pool", "io_threads", "connections", "tls", "compression", "batching",
	"nodelay", "tcp_nodelay", "serialization", "log_level", "send_buffer", "receive_buffer",
}

// unequal is a setting whose value is a on the baseline's side and b on the
// candidate's. names are those under which a comparison may declare it.
type unequal struct {
	names []string
	a, b  string
}

func unequalSettings(p *Pass) {
	p.Measured(func(ps *Pairs, pair Pair) {
		b, c := pair.Baseline, pair.Candidate
		found := append(p.optionDifferences(b.Backend, c.Backend), workloadDifferences(ps, b, c)...)
		found = append(found, p.hostDifferences(b, c)...)
		for _, d := range found {
			if ps.Meant(d.names...) {
				continue
			}
			p.Report(ps.Comparison.Range, "The setting %s differs: %s for %s, %s for %s. Give both sides the same, or, if the difference is what you compare, write across = [%q].",
				d.names[0], d.a, b.Backend.Title, d.b, c.Backend.Title, d.names[0])
		}
	})
}

// optionDifferences compares the options that two backends have in common.
func (p *Pass) optionDifferences(a, b *dsl.Backend) []unequal {
	if a == b {
		return nil
	}
	var all []string
	for name := range a.Options {
		if _, ok := b.Options[name]; ok || a.Driver == b.Driver {
			all = append(all, name)
		}
	}
	if a.Driver == b.Driver {
		all = append(all, slices.Collect(maps.Keys(b.Options))...)
	}
	slices.Sort(all)
	all = slices.DeleteFunc(slices.Compact(all), func(name string) bool { return sameText(a.Options[name], b.Options[name]) })
	if a.Driver == b.Driver && len(all) == 1 {
		return nil // that is what is compared
	}
	var found []unequal
	for _, name := range all {
		if slices.Contains(commonSettings, name) {
			found = append(found, unequal{[]string{name}, text(a.Options[name]), text(b.Options[name])})
		}
	}
	return found
}

// workloadDifferences compares what is asked of the two sides, leaving out
// what follows from an axis that the comparison names. Between two tests that
// the comparison names, a single difference is what is compared.
func workloadDifferences(ps *Pairs, b, c *plan.Cell) []unequal {
	x, y := b.Workload, c.Workload
	var found []unequal
	add := func(name string, differ bool, a, b string, also ...string) {
		if differ && !followsFromAxis(ps, name, c) {
			found = append(found, unequal{append([]string{name}, also...), a, b})
		}
	}
	add("payload", x.Payload != y.Payload, payloadText(x.Payload), payloadText(y.Payload))
	add("concurrency", x.Concurrency != y.Concurrency, fmt.Sprint(x.Concurrency), fmt.Sprint(y.Concurrency), "load")
	add("topics", x.Topics != y.Topics, fmt.Sprint(x.Topics), fmt.Sprint(y.Topics), "load")
	add("rate", x.Rate != y.Rate && x.Rate > 0 && y.Rate > 0, fmt.Sprint(x.Rate)+"/s", fmt.Sprint(y.Rate)+"/s", "load")
	add("in_flight", x.InFlight != y.InFlight && x.Rate > 0 && y.Rate > 0, fmt.Sprint(x.InFlight), fmt.Sprint(y.InFlight), "load")
	add("transfer", x.Transfer != y.Transfer, text(x.Transfer), text(y.Transfer))
	if b.Test != c.Test && len(found) == 1 {
		return nil
	}
	return found
}

// followsFromAxis reports whether an argument is computed from an axis that
// the comparison names, other than those that say who is compared.
func followsFromAxis(ps *Pairs, name string, c *plan.Cell) bool {
	e := c.Test.Args[name]
	if e == nil {
		return false
	}
	return slices.ContainsFunc(e.Axes, func(axis string) bool {
		return ps.pairing.Named(axis) && axis != "backend" && axis != "host" && axis != "test"
	})
}

func payloadText(l drivers.Payload) string {
	if l.Kind == "bytes" {
		return fmt.Sprintf("%d bytes", l.Bytes)
	}
	return fmt.Sprintf("%d %s of %d bytes in all", l.Count, l.Kind, l.Bytes)
}

// hostDifferences compares the CPU sets, priorities and environments that roles of the
// same name have on one machine.
func (p *Pass) hostDifferences(b, c *plan.Cell) []unequal {
	_, left := p.Roles(b)
	_, right := p.Roles(c)
	var found []unequal
	for _, role := range slices.Sorted(maps.Keys(left)) {
		x, y := left[role], right[role]
		if x == nil || y == nil || x == y || machineOf(x) != machineOf(y) {
			continue
		}
		if !slices.Equal(x.CPUs, y.CPUs) {
			found = append(found, unequal{[]string{"host", "cpus"}, cpusText(x) + " of " + role, cpusText(y) + " of " + role})
		}
		if a, b := x.Priority.String(), y.Priority.String(); a != b {
			found = append(found, unequal{[]string{"host", "nice", "realtime"}, a + " of " + role, b + " of " + role})
		}
		if !maps.Equal(x.Environment, y.Environment) {
			found = append(found, unequal{[]string{"host", "environment"}, "the environment of " + x.Title, "that of " + y.Title})
		}
	}
	return found
}

func cpusText(h *dsl.Host) string {
	if h == nil || len(h.CPUs) == 0 {
		return "all CPUs"
	}
	if len(h.CPUs) == 1 {
		return fmt.Sprint("CPU ", h.CPUs[0])
	}
	return "CPUs " + strings.Trim(strings.ReplaceAll(fmt.Sprint(h.CPUs), " ", ","), "[]")
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
