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
		"proc/7/stat":              "7 (env) S 1 7 7 0 -1 0 0 0 0 0 250 250 0 0 20\n",
		"proc/7/task/7/children":   "9 \n",
		"proc/9/stat":              "9 (versus) S 1 7 7 0 -1 0 0 0 0 0 250 250 0 0 20\n",
		"proc/9/task/8/children":   "x 10\n",
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
	write("proc/7/stat", "7 (env) S 1 7 7 0 -1 0 0 0 0 0 50250 250 0 0 20\n")          // 500 s more
	write("proc/9/stat", "9 (versus) S 1 7 7 0 -1 0 0 0 0 0 250 250 20000 30000 20\n") // and 500 s of a worker that has ended
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

// A limit is often that of a group above, which alone counts what it did. What
// is no number is no time.
func TestThrottled(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  float64
	}{
		{"version 2", map[string]string{
			"proc/self/cgroup":               "0::/pod/box\n",
			"proc/self/mountinfo":            "1 1 0:27 / /sys/fs/cgroup ro - cgroup2 cgroup rw\n",
			"sys/fs/cgroup/pod/box/cpu.stat": "throttled_usec 0\n",
			"sys/fs/cgroup/pod/cpu.stat":     "nr_throttled 9\nthrottled_usec 2000000000000\n", // in 23 days
			"sys/fs/cgroup/cpu.stat":         "usage_usec 5\n",
		}, 2e6},
		{"version 1", map[string]string{
			"proc/self/cgroup":               "4:cpu,cpuacct:/pod\n",
			"proc/self/mountinfo":            "1 1 0:27 / /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu,cpuacct\n",
			"sys/fs/cgroup/cpu/pod/cpu.stat": "throttled_time 1500000000\n",
			"sys/fs/cgroup/cpu/cpu.stat":     "throttled_time NaN\n",
		}, 1.5},
		{"none", nil, 0},
	} {
		if got := made(c.files).throttled(); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%s: %v s, want %v", c.name, got, c.want)
		}
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
