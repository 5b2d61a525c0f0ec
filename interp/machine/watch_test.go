package machine

import (
	"math"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestWatch(t *testing.T) {
	const governor = cpuDir + "cpu0/cpufreq/scaling_governor"
	m := made(map[string]string{
		"proc/self/status":         "Cpus_allowed_list:\t0\n",
		"proc/self/cgroup":         "0::/\n",
		"proc/self/mountinfo":      "1 1 0:27 / /sys/fs/cgroup ro - cgroup2 cgroup rw\n",
		"sys/fs/cgroup/cpu.stat":   "throttled_usec 100000\n",
		"proc/stat":                "cpu0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0\n",
		governor:                   "performance\n",
		cpuDir + "cpufreq/boost":   "0\n",
		"proc/self/timerslack_ns":  "50000\n",
		"proc/sys/kernel/hostname": "a\n",
		"proc/7/stat":              "7 (relay) S 1 7 7 0 -1 0 0 0 0 0 500 500 0 0 20\n",
	})
	settings := m.Settings()
	w := m.Watch(7)
	if k := w.End(&settings); k != nil {
		t.Errorf("no time has passed, but: %+v", k)
	}
	write := func(name, text string) { m.files.(fstest.MapFS)[name].Data = []byte(text) }
	write("proc/stat", "cpu0 100000 0 200000 500000 0 0 0 200000\ncpu1 9999999 0 0 0\n") // 10,000 s, so that this test's own time does not count
	write("sys/fs/cgroup/cpu.stat", "throttled_usec 600000\n")
	write(governor, "powersave\n")
	write("proc/7/stat", "7 (relay) S 1 7 7 0 -1 0 0 0 0 0 100500 500 0 0 20\n") // 1000 s more
	k := w.End(&settings)
	if k == nil {
		t.Fatal("nothing")
	}
	if math.Abs(k.Others-0.2) > 0.01 || k.Stolen != 0.2 || math.Abs(k.Throttled-0.5) > 1e-9 {
		t.Errorf("%+v", k)
	}
	if d := cmp.Diff([]string{"frequency governor: performance -> powersave"}, k.Changed); d != "" {
		t.Error(d)
	}
}

// What a run costs more because it is watched.
func BenchmarkWatch(b *testing.B) {
	m := This()
	settings := m.Settings()
	for b.Loop() {
		m.Watch().End(&settings)
	}
}
