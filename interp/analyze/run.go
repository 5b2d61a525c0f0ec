package analyze

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"versus/drivers/protocol"
	"versus/interp/journal"
	"versus/stdlib/metric"
)

// minSplitCPU is the CPU time in seconds from which its split into user and
// system mode means something: the kernel finds it by sampling at 100 Hz or
// so, and only the sum is exact.
const minSplitCPU = 0.5

// window is what the roles of one run measured, put together: the counts of
// the side that sends, and those of the side that sees messages arrive.
type window struct {
	roles map[string]*protocol.Result
	// sender is the active roles together, receiver where latency is seen: the
	// subscriber of a pubsub test, otherwise the sender.
	sender, receiver side
	payload          float64 // bytes of one message
	setup            float64
	flags            []string // of all roles
}

// side is the results of one or more roles, added.
type side struct {
	present                               bool
	elapsed                               float64
	sent, received, late                  int64
	lost, duplicated, reordered, negative int64
	offered                               float64
	wire                                  int64
	errors                                map[string]int64
	latency, service                      []*protocol.Distribution
}

// add adds a role. In a closed loop service time and latency are the same.
func (s *side) add(r *protocol.Result, closed bool) {
	s.present = true
	s.elapsed = max(s.elapsed, r.Elapsed)
	s.sent += r.Sent
	s.received += r.Received
	s.late += r.Late
	s.lost += r.Lost
	s.duplicated += r.Duplicated
	s.reordered += r.Reordered
	s.negative += r.Negative
	s.offered += r.Offered
	s.wire += r.WireBytes
	for kind, n := range r.Errors {
		if s.errors == nil {
			s.errors = map[string]int64{}
		}
		s.errors[kind] += n
	}
	if r.Latency != nil {
		s.latency = append(s.latency, r.Latency)
	}
	switch {
	case r.Service != nil:
		s.service = append(s.service, r.Service)
	case closed && r.Latency != nil:
		s.service = append(s.service, r.Latency)
	}
}

func newWindow(pattern string, payload int, r *journal.Run) *window {
	w := &window{roles: map[string]*protocol.Result{}, payload: float64(payload), setup: r.Setup}
	closed := true
	for _, role := range r.Roles {
		closed = closed && (role == nil || role.Result == nil || role.Result.Offered == 0)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Roles)) {
		role := r.Roles[name]
		if role == nil || role.Result == nil {
			continue
		}
		w.roles[name] = role.Result
		w.flags = append(w.flags, role.Result.Flags...)
		if role.Active {
			w.sender.add(role.Result, closed)
		}
		if arrives(pattern, name, role) {
			w.receiver.add(role.Result, closed)
		}
	}
	if pattern == "pubsub" {
		w.receiver.limit(w.sender.elapsed)
	}
	return w
}

// arrives says whether a role sees messages arrive, and so their latency.
func arrives(pattern, name string, role *journal.Role) bool {
	return name == "subscriber" || pattern != "pubsub" && role.Active
}

// limit ends the window of a subscriber, which also waits for messages that
// never come, when the last one can have come: its longest latency after
// sending has ended.
func (s *side) limit(sending float64) {
	if all := total(s.latency); sending > 0 && all.count > 0 {
		s.elapsed = min(s.elapsed, sending+float64(all.max)/1e9)
	}
}

// parts is what one run says about a metric: the value, and what a cell needs
// beyond it to combine runs.
type parts struct {
	value    float64
	num, den float64                  // of a Pooled metric
	dist     []*protocol.Distribution // of a Merged one; empty for a recorded run
}

// runValue returns what a run says about a metric, or why it says nothing.
func runValue(d *runData, m metric.Metric) (parts, string) {
	p, why := parts{}, ""
	if len(d.run.Roles) == 0 { // recorded elsewhere
		v, ok := d.run.Values[m.Name]
		if !ok {
			return parts{}, m.Name + " was not recorded"
		}
		p.value = v
	} else if p, why = measured(d, m); why != "" {
		return p, why
	}
	if !finite(p.value) {
		return parts{}, m.Name + " is not a finite number"
	}
	return p, ""
}

func measured(d *runData, m metric.Metric) (parts, string) {
	w := d.window
	head, tail, _ := strings.Cut(m.Name, ".")
	switch head {
	case "latency", "service_time":
		return spread(d, m, tail)
	case "cpu":
		return cpu(w, tail)
	case "memory":
		return memory(w, tail)
	case "errors":
		return errorCount(w, tail)
	case "samples":
		return samples(w, tail)
	}
	return flow(w, m.Name)
}

// flow returns the metrics of time and rate.
func flow(w *window, name string) (parts, string) {
	in, out := &w.receiver, &w.sender
	switch name {
	case "time_per_call":
		if in.received == 0 {
			return parts{}, "no call was completed"
		}
		return over(in.elapsed, float64(in.received), "")
	case "throughput.rate":
		return over(float64(in.received), in.elapsed, "no window was measured")
	case "throughput.bytes":
		return over(float64(in.received)*w.payload, in.elapsed, "no window was measured")
	case "rate.offered":
		if out.offered == 0 {
			return parts{}, "a closed loop has no offered rate"
		}
		return parts{value: out.offered}, ""
	case "rate.achieved":
		return over(float64(out.sent), out.elapsed, "no window was measured")
	case "rate.late":
		if !out.present {
			return parts{}, "no role that sends gave a result"
		}
		return parts{value: float64(out.late)}, ""
	case "loss.rate":
		return pooled(in.lost, out.sent, in.present)
	case "wire.bytes":
		if out.wire == 0 {
			return parts{}, "the driver can't tell the bytes on the wire"
		}
		return parts{value: float64(out.wire)}, ""
	case "setup":
		if w.setup <= 0 {
			return parts{}, "the time to get ready was not measured"
		}
		return parts{value: w.setup}, ""
	}
	return parts{}, "no role of this test measures " + name
}

// over divides; why says what a denominator of 0 means.
func over(num, den float64, why string) (parts, string) {
	if den <= 0 {
		if why == "" {
			why = "no window was measured"
		}
		return parts{}, why
	}
	return parts{value: num / den, num: num, den: den}, ""
}

func pooled(count, sent int64, present bool) (parts, string) {
	if !present {
		return parts{}, "no role that counts them gave a result"
	}
	return over(float64(count), float64(sent), "nothing was sent")
}

func samples(w *window, name string) (parts, string) {
	in, out := &w.receiver, &w.sender
	counts := map[string]int64{"sent": out.sent, "received": in.received, "lost": in.lost,
		"duplicated": in.duplicated, "reordered": in.reordered}
	n, ok := counts[name]
	from := in
	if name == "sent" {
		from = out
	}
	if !ok || !from.present {
		return parts{}, "no role counted samples." + name
	}
	return parts{value: float64(n)}, ""
}

func errorCount(w *window, name string) (parts, string) {
	total := int64(0)
	for _, n := range w.sender.errors {
		total += n
	}
	switch {
	case name == "rate":
		return pooled(total, w.sender.sent, w.sender.present)
	case !w.sender.present:
		return parts{}, "no role that calls gave a result"
	case name == "count":
		return parts{value: float64(total)}, ""
	}
	return parts{value: float64(w.sender.errors[name])}, ""
}

func cpu(w *window, name string) (parts, string) {
	if len(w.roles) == 0 {
		return parts{}, "no role gave a result"
	}
	if name == "user" || name == "system" {
		var user, system float64
		for _, role := range slices.Sorted(maps.Keys(w.roles)) { // in order: sums of floats depend on it
			user += w.roles[role].CPUUser
			system += w.roles[role].CPUSystem
		}
		if user+system < minSplitCPU {
			return parts{}, fmt.Sprintf("under %v s of CPU time, the kernel's split into user and system is a guess", minSplitCPU)
		}
		if name == "user" {
			return parts{value: user}, ""
		}
		return parts{value: system}, ""
	}
	r, ok := w.roles[name]
	if !ok {
		return parts{}, "the run has no role " + name
	}
	return over(r.CPUUser+r.CPUSystem, r.Elapsed, "no window was measured")
}

func memory(w *window, name string) (parts, string) {
	peak := int64(0)
	if name == "peak" {
		for _, r := range w.roles {
			peak = max(peak, r.PeakMemory)
		}
	} else if r, ok := w.roles[name]; ok {
		peak = r.PeakMemory
	} else {
		return parts{}, "the run has no role " + name
	}
	if peak == 0 {
		return parts{}, "memory was not measured"
	}
	return parts{value: float64(peak)}, ""
}

// distribution returns the name of the distribution that a metric is of, and
// what the run recorded of it.
func (w *window) distribution(metricName string) (name string, ds []*protocol.Distribution) {
	name, _, _ = strings.Cut(metricName, ".")
	if name == "service_time" {
		return name, w.receiver.service
	}
	return name, w.receiver.latency
}

// spread returns the metrics of a distribution.
func spread(d *runData, m metric.Metric, tail string) (parts, string) {
	name, ds := d.window.distribution(m.Name)
	sum := total(ds)
	if sum.count == 0 {
		return parts{}, name + " was not measured"
	}
	p := parts{dist: ds}
	switch tail {
	case "mean":
		p.value = sum.mean()
	case "min":
		p.value = float64(sum.min) / 1e9
	case "max":
		p.value = float64(sum.max) / 1e9
	case "stddev":
		v, ok := sum.stddev()
		if !ok {
			return p, m.Name + " needs two samples at least"
		}
		p.value = v
	default:
		h, why := d.histogram(m)
		if why != "" {
			return parts{}, why
		}
		if !visible(m.Quantile, h.count()) {
			return parts{}, tooFew(m)
		}
		p.value = h.quantile(m.Quantile)
	}
	return p, ""
}
