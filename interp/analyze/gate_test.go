package analyze

import (
	"strings"
	"testing"

	"versus/drivers/protocol"
	"versus/interp/journal"
)

// gatedText has one test of each pattern with all gates.
const gatedText = `
methodology "strict" {
  measure { duration = "1s" }
  repeat { runs = 3 }
  gate {
    rate_error    = 0.01
    late          = 0.01
    send_lag      = 0.1
    generator_cpu = 0.7
    negative      = 0
    fallback      = false
    others        = 0.2
    stolen        = 0.02
    littles_law   = 0.01
  }
}
test "rpc" "closed" {
  methodology = methodology.strict
  backend     = backend.a
  concurrency = 2
}
test "pubsub" "open" {
  methodology = methodology.strict
  backend     = backend.a
  rate        = 1000
}
`

// Each gate refuses its symptom, at the first value above the limit, and
// nothing else.
func TestGates(t *testing.T) {
	s, p := scenario(t, gatedText)
	call := func(change func(client *protocol.Result)) journal.Run {
		r := callRun(t, cellAt(t, p, 0), 0, 2e6, 2e6, 2e6, 2e6)
		r.Roles["client"].Result.Elapsed = 0.004 // 4 calls of 2 ms, two at once
		r.Roles["client"].Result.CPUUser, r.Roles["client"].Result.CPUSystem = 0.001, 0.001
		change(r.Roles["client"].Result)
		return r
	}
	publish := func(change func(pub, sub *protocol.Result)) journal.Run {
		pub := &protocol.Result{Elapsed: 1, Sent: 1000, Offered: 1000, CPUUser: 0.6, CPUSystem: 0.1, SendLag: distributionOf(t, 10_000)}
		sub := &protocol.Result{Elapsed: 1, Received: 2, Latency: distributionOf(t, 100_000, 100_000)}
		change(pub, sub)
		return journal.Run{Cell: cellAt(t, p, 1).Key, Status: journal.OK, Roles: map[string]*journal.Role{
			"publisher": {Active: true, Result: pub, Effective: map[string]string{"gomaxprocs": "1"}}, "subscriber": {Result: sub}}}
	}
	on := func(k *journal.Conditions) journal.Run {
		r := call(func(*protocol.Result) {})
		r.Conditions, r.Total = k, 10
		return r
	}
	for _, c := range []struct {
		name, gate, why string
		run             journal.Run
	}{
		{"clean calls", "", "", call(func(*protocol.Result) {})},
		{"clean messages", "", "", publish(func(_, _ *protocol.Result) {})},
		{"rate at its limit", "", "", publish(func(pub, _ *protocol.Result) { pub.Sent = 990 })},
		{"rate missed", "rate_error", "sent 989/s of the offered 1000/s", publish(func(pub, _ *protocol.Result) { pub.Sent = 989 })},
		{"late at its limit", "", "", publish(func(pub, _ *protocol.Result) { pub.Late = 10 })},
		{"late", "late", "sent 11 of 1000 more than one period late", publish(func(pub, _ *protocol.Result) { pub.Late = 11 })},
		{"lag", "send_lag", "p99 of its send lag of 10.5 us at a median latency of 100", publish(func(pub, _ *protocol.Result) { pub.SendLag = distributionOf(t, 10_500) })},
		{"busy", "generator_cpu", "used 0.71 cores of 1 in its publisher", publish(func(pub, _ *protocol.Result) { pub.CPUSystem = 0.11 })},
		{"busy client", "generator_cpu", "in its client", call(func(r *protocol.Result) { r.CPUUser = 0.003 })},
		{"negative", "negative", "counted latencies below zero: 1", publish(func(_, sub *protocol.Result) { sub.Negative = 1 })},
		{"fallback", "fallback", `"fallback: udp"`, publish(func(_, sub *protocol.Result) { sub.Flags = []string{"fallback: udp"} })},
		{"another remark", "", "", publish(func(_, sub *protocol.Result) { sub.Flags = []string{"slow disk"} })},
		{"others at their limit", "", "", on(&journal.Conditions{Others: 0.2, Stolen: 0.02})},
		{"others", "others", "left 30% of the machine's CPU time", on(&journal.Conditions{Others: 0.3})},
		{"stolen", "stolen", "lost 5% of its CPU time", on(&journal.Conditions{Stolen: 0.05})},
		{"more calls than callers", "littles_law", "had 1026/s x 2 ms / 2 = 1.026", call(func(r *protocol.Result) { r.Elapsed = 0.0039 })},
	} {
		t.Run(c.name, func(t *testing.T) {
			res := analyzed(t, s, p, []journal.Run{c.run})
			i := 0
			if c.run.Cell == res.Cells[1].Plan.Key {
				i = 1
			}
			cell := res.Cells[i]
			if c.gate == "" {
				if len(cell.Invalid) > 0 || len(cell.Valid) != 1 {
					t.Errorf("refused: %+v", cell.Invalid)
				}
				return
			}
			if len(cell.Valid) != 0 || len(cell.Invalid) != 1 || cell.Invalid[0].Gate != c.gate || !strings.Contains(cell.Invalid[0].Why, c.why) {
				t.Fatalf("%d valid runs, invalid: %+v", len(cell.Valid), cell.Invalid)
			}
			if v := cell.Metric("latency.mean"); !strings.Contains(v.Missing, c.why) || !strings.Contains(v.Missing, "gate "+c.gate) {
				t.Errorf("the cell is missing because %q", v.Missing)
			}
			if text := remarksOf(cell); !strings.Contains(text, "invalid by the gate "+c.gate+" (1 of 3, run 1 ") {
				t.Errorf("remarks: %s", text)
			}
		})
	}
}

// Without a gate the same runs count, with a remark.
func TestSymptomsAreRemarkedOn(t *testing.T) {
	s, p := scenario(t, `
test "pubsub" "open" {
  methodology = methodology.all
  backend     = backend.a
  rate        = 1000
}`)
	pub := &protocol.Result{Elapsed: 1, Sent: 1000, Offered: 1000, CPUUser: 0.9, SendLag: distributionOf(t, 50_000)}
	sub := &protocol.Result{Elapsed: 1, Received: 1, Latency: distributionOf(t, 100_000)}
	res := analyzed(t, s, p, []journal.Run{{Cell: cellAt(t, p, 0).Key, Status: journal.OK, Roles: map[string]*journal.Role{
		"publisher": {Active: true, Result: pub}, "subscriber": {Result: sub}}}})
	text := remarksOf(res.Cells[0])
	for _, want := range []string{"sends lag behind", "may be saturated", "0.90 cores of 1"} {
		if !strings.Contains(text, want) {
			t.Errorf("no remark with %q: %s", want, text)
		}
	}
	if len(res.Cells[0].Valid) != 1 {
		t.Error("the run does not count")
	}
}

// A gate leaves runs out of every number.
func TestInvalidRunsAreInNoNumber(t *testing.T) {
	s, p := scenario(t, gatedText)
	var runs []journal.Run
	for i, latency := range []int64{2e6, 4e6, 6e6} {
		r := callRun(t, cellAt(t, p, 0), i, latency)
		r.Roles["client"].Result.CPUUser, r.Roles["client"].Result.CPUSystem = 0, 0
		runs = append(runs, r)
	}
	runs[2].Roles["client"].Result.Negative = 3
	cell := analyzed(t, s, p, runs).Cells[0]
	if v := cell.Metric("latency.mean"); v.Number != 3e-3 {
		t.Errorf("mean %v, want 3 ms", v)
	}
	if v := cell.Metric("latency.max"); v.Number != 4e-3 {
		t.Errorf("max %v, want 4 ms", v)
	}
	if v, _ := cell.RunValues("latency.mean"); len(v) != 2 {
		t.Errorf("%d runs", len(v))
	}
}

func remarksOf(c *Cell) string {
	var b strings.Builder
	for _, r := range c.Remarks() {
		b.WriteString(r.What + " (" + r.Detail + ")\n")
	}
	return b.String()
}
