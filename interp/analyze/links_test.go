package analyze

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"versus/interp/journal"
)

func TestLinksAreRemarkedOn(t *testing.T) {
	s, p := scenario(t, `
host "netns" "near" {}
host "netns" "far" {}
link "slow" {
  between = [host.near, host.far]
  rate    = "56kbit/s"
  delay   = "50ms"
  jitter  = "5ms"
  loss    = 0.01
}
test "rpc" "t" {
  methodology = methodology.all
  place       = { client = host.near, server = host.far }
  sweep { backend = [backend.a, backend.b] }
}`)
	const what = "link slow (56kbit/s, delay 50ms +-5ms, loss 1%) "
	const measured = "; measured: 56kbit/s there and 55.9kbit/s back, round trip 100ms, jitter 5ms there and 5.01ms back, loss 1.20% of 2500 probes there and 0.80% of 2500 back"
	c := cellAt(t, p, 0)
	if len(c.Links) != 1 {
		t.Fatalf("links %v", c.Links)
	}
	for name, test := range map[string]struct {
		change func(first, second *journal.Link)
		want   []Remark
	}{
		"relay": {func(_, _ *journal.Link) {}, []Remark{{false, what + "was made by the relay, a process of versus" + measured, "2 runs"}}},
		"netem": {func(a, b *journal.Link) { a.Via, b.Via, a.Relay, b.Relay = "netem", "netem", nil, nil },
			[]Remark{{false, what + "was made by netem of the kernel" + measured, "2 runs"}}},
		"later": {func(a, b *journal.Link) { a.Via, b.Via, a.Relay, b.Relay = "ebpf", "ebpf", nil, nil }, // by a later version
			[]Remark{{false, what + "was made by ebpf" + measured, "2 runs"}}},
		"either": {func(a, _ *journal.Link) { a.Via, a.Relay = "netem", nil },
			[]Remark{{false, what + "was made by netem of the kernel" + measured, "1 run"}, {false, what + "was made by the relay, a process of versus" + measured, "1 run"}}},
		"lossy": {func(a, b *journal.Link) {
			a.Full, b.Full, b.Relay.Dropped = [2]int64{3, 0}, [2]int64{0, 4}, [2]int64{0, 2}
		},
			[]Remark{{false, what + "was made by the relay, a process of versus" + measured, "2 runs"},
				{false, "frames found the queue of link slow full and were lost, as on a real one", "7 in 2 runs"},
				{true, "the relay of link slow dropped frames that the link was not to lose: more were under way than it can hold", "2 in 2 runs"}}},
		"late": {func(a, _ *journal.Link) { a.Relay.LateMean, a.Relay.LateMax = 0.003, 0.02 },
			[]Remark{{false, what + "was made by the relay, a process of versus" + measured, "2 runs"},
				{true, "the relay of link slow was late, so that its delay was off by more than 5%: the machine has too much to do", "by 3ms on average and 20ms at most, in 1 of 2 runs"}}},
	} {
		var runs []journal.Run
		for i := range 2 {
			r := constantRun(t, c, i, 10, 3)
			r.Links = map[string]*journal.Link{"slow": {
				Via: "relay", Rate: [2]float64{56e3, 55.9e3}, RoundTrip: 0.1001, Jitter: [2]float64{0.005, 0.00501}, Loss: [2]float64{0.012, 0.008}, Probes: [2]int{2500, 2500},
				Relay: &journal.Relay{LateMean: 0.0025, LateMax: 0.1},
			}}
			runs = append(runs, r)
		}
		test.change(runs[0].Links["slow"], runs[1].Links["slow"])
		if d := cmp.Diff(test.want, analyzed(t, s, p, runs).Cells[0].linkRemarks()); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestLinkChanges(t *testing.T) {
	runs := func(vias ...string) (runs []journal.Run) {
		for _, via := range vias {
			runs = append(runs, journal.Run{Status: journal.OK, Links: map[string]*journal.Link{"slow": {Via: via}}})
		}
		return append(runs, journal.Run{Status: journal.Failed, Links: map[string]*journal.Link{"slow": {Via: "?"}, "gone": {}}})
	}
	for _, c := range []struct {
		old, new []journal.Run
		want     []string
	}{
		{runs("relay", "relay"), runs("relay"), nil},
		{runs("netem"), runs("relay"), []string{"link slow: made by netem -> relay"}},
		{runs(""), runs("relay", "netem"), []string{"link slow: made by tbf alone -> netem and relay"}},
		{runs("relay"), runs(), nil}, // nothing ran
		{nil, nil, nil},
	} {
		if d := cmp.Diff(c.want, LinkChanges(c.old, c.new)); d != "" {
			t.Error(d)
		}
	}
}
