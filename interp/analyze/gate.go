package analyze

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"versus/drivers/protocol"
	"versus/interp/journal"
	"versus/stdlib/metric"
)

// Invalid is a run that a gate of its methodology refused.
type Invalid struct {
	Run  *journal.Run
	Gate string // the argument of the gate, "rate_error"
	Why  string // what the run did, with its numbers
}

// symptom is something about how a run was loaded that makes its numbers
// doubtful, whatever they are. It is decided for one run alone, without
// regard to other runs.
type symptom struct {
	gate  string  // the argument of a gate block that limits it
	usual float64 // the limit above which a run is remarked on
	what  string  // the remark; empty if another remark says it
	// of returns how bad the run is and the words for it; ok is false where
	// the run can't show it.
	of func(c *Cell, d *runData) (value float64, words string, ok bool)
}

// symptoms in the order in which they are reported. The limits are those of
// the methodology: a generator above 70 % of its CPU, or whose lag is above
// 10 % of the median, measures itself (Treadmill, Zhang et al. 2016).
var symptoms = []symptom{
	{"rate_error", 0.01, "", rateError},
	{"late", 0.01, "", lateShare},
	{"send_lag", 0.1, "sends lag behind their schedule by more than 10% of the median latency: the generator measures itself", sendLag},
	{"generator_cpu", 0.7, "the load generator may be saturated: it uses more than 0.7 of its CPUs", generatorCPU},
	{"negative", 0, "", negativeCount},
	{"fallback", 0, "", fallbacks},
	{"others", busyOthers, "", othersShare},
	{"stolen", busyStolen, "", stolenShare},
	{"littles_law", 0.01, "impossible: throughput x mean latency exceeds the callers (Little's law)", littlesLaw},
}

// gated returns the gate that refuses the run, or nil.
func (c *Cell) gated(d *runData) *Invalid {
	m := c.Plan.Test.Methodology
	if m == nil || m.Gate == nil || len(d.run.Roles) == 0 {
		return nil
	}
	for _, s := range symptoms {
		limit, ok := m.Gate[s.gate]
		if !ok {
			continue
		}
		if v, words, known := s.of(c, d); known && !(v <= limit+1e-9) { // 1 - 0.99 is above 0.01 in floats
			return &Invalid{Run: d.run, Gate: s.gate, Why: words}
		}
	}
	return nil
}

// invalidRemarks list the runs that gates refused.
func (c *Cell) invalidRemarks(all int) []Remark {
	var rs []Remark
	for _, s := range symptoms {
		n, first := 0, ""
		for _, x := range c.Invalid {
			if x.Gate != s.gate {
				continue
			}
			if n++; n == 1 {
				first = fmt.Sprintf("run %d %s", x.Run.Run+1, x.Why)
			}
		}
		if n > 0 {
			rs = append(rs, Remark{true, "runs are invalid by the gate " + s.gate, fmt.Sprintf("%d of %d, %s", n, all, first)})
		}
	}
	return rs
}

// symptomRemarks are the remarks on runs that count in spite of a symptom.
func (c *Cell) symptomRemarks() []Remark {
	var rs []Remark
	for _, s := range symptoms {
		n, worst, words := 0, math.Inf(-1), ""
		for _, d := range c.runs {
			if s.what == "" || s.gate == "generator_cpu" && d.window.sender.offered == 0 {
				continue // a closed loop is as fast as its client, which is part of what is compared
			}
			v, text, ok := s.of(c, d)
			if !ok || v <= s.usual {
				continue
			}
			n++
			if v > worst {
				worst, words = v, text
			}
		}
		if n > 0 {
			rs = append(rs, Remark{true, s.what, fmt.Sprintf("%d of %d, at worst it %s", n, len(c.Valid), words)})
		}
	}
	return rs
}

func rateError(_ *Cell, d *runData) (float64, string, bool) {
	out := &d.window.sender
	if out.offered <= 0 || out.elapsed <= 0 {
		return 0, "", false
	}
	achieved := float64(out.sent) / out.elapsed
	return 1 - achieved/out.offered, fmt.Sprintf("sent %.4g/s of the offered %.4g/s", achieved, out.offered), true
}

func lateShare(_ *Cell, d *runData) (float64, string, bool) {
	out := &d.window.sender
	if out.offered <= 0 || out.sent == 0 {
		return 0, "", false
	}
	return float64(out.late) / float64(out.sent), fmt.Sprintf("sent %d of %d more than one period late", out.late, out.sent), true
}

// sendLag is the 99th percentile of how late sends began, over the median latency.
func sendLag(_ *Cell, d *runData) (float64, string, bool) {
	var lags []*protocol.Distribution
	for _, role := range d.generators() {
		if role.Result.SendLag != nil {
			lags = append(lags, role.Result.SendLag)
		}
	}
	p50, ok := metric.Lookup("latency.p50")
	if !ok || len(lags) == 0 || total(lags).count == 0 {
		return 0, "", false
	}
	median, why := d.histogram(p50)
	h, err := newHistogram(lags)
	if why != "" || err != nil || median.quantile(0.5) <= 0 {
		return 0, "", false
	}
	lag, latency := h.quantile(0.99), median.quantile(0.5)
	return lag / latency, fmt.Sprintf("had a p99 of its send lag of %s at a median latency of %s", seconds(lag), seconds(latency)), true
}

// generatorCPU is the CPU of the busiest active role, in cores for each of its
// GOMAXPROCS, one where it says nothing of them.
func generatorCPU(_ *Cell, d *runData) (value float64, words string, ok bool) {
	active := d.generators()
	for _, name := range slices.Sorted(maps.Keys(active)) {
		role := active[name]
		cores := 1.0
		if n, err := strconv.Atoi(role.Effective["gomaxprocs"]); err == nil && n > 0 {
			cores = float64(n)
		}
		if role.Result.Elapsed <= 0 {
			continue
		}
		used := (role.Result.CPUUser + role.Result.CPUSystem) / role.Result.Elapsed
		if v := used / cores; !ok || v > value {
			value, ok = v, true
			words = fmt.Sprintf("used %.2f cores of %g in its %s", used, cores, name)
		}
	}
	return value, words, ok
}

func negativeCount(_ *Cell, d *runData) (float64, string, bool) {
	n := d.window.receiver.negative
	return float64(n), fmt.Sprintf("counted latencies below zero: %d", n), d.window.receiver.present
}

func fallbacks(_ *Cell, d *runData) (float64, string, bool) {
	for _, flag := range d.window.flags {
		if strings.HasPrefix(flag, "fallback") {
			return 1, "had the remark " + strconv.Quote(flag), true
		}
	}
	return 0, "", true
}

// littlesLaw is by how much throughput x mean latency exceeds the callers of a
// closed loop of round trips (Little 1961): each caller has one call at a time.
func littlesLaw(c *Cell, d *runData) (float64, string, bool) {
	in, w := &d.window.receiver, c.Plan.Workload
	latency := total(in.latency)
	twoway := c.Plan.Test.Pattern == "rpc" && (w.Call == "" || w.Call == "twoway")
	if !twoway || w.Rate > 0 || w.Concurrency < 1 || in.elapsed <= 0 || latency.count == 0 {
		return 0, "", false
	}
	busy := latency.sum / 1e9 / in.elapsed / float64(w.Concurrency)
	return busy - 1, fmt.Sprintf("had %.4g/s x %s / %d = %.3f", float64(latency.count)/in.elapsed, seconds(latency.mean()), w.Concurrency, busy), true
}

// generators are the active roles of a run that gave a result, by name.
func (d *runData) generators() map[string]*journal.Role {
	active := map[string]*journal.Role{}
	for name, role := range d.run.Roles {
		if role != nil && role.Active && role.Result != nil {
			active[name] = role
		}
	}
	return active
}

// seconds writes a time in a unit that suits it.
func seconds(s float64) string {
	for _, u := range []struct {
		name  string
		scale float64
	}{{"s", 1}, {"ms", 1e3}, {"us", 1e6}} {
		if s*u.scale >= 1 {
			return fmt.Sprintf("%.4g %s", s*u.scale, u.name)
		}
	}
	return fmt.Sprintf("%.4g ns", s*1e9)
}
