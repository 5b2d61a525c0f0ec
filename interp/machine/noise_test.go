package machine

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestCPUTimes(t *testing.T) {
	const before = "cpu  0 0 0 0\ncpu0 100 20 30 400 50 6 7 8 9 0\ncpu1 1 1 1 1\ncpu10 5 5 5 5 5 5 5 5 5 5\nintr 1\n"
	got := made(map[string]string{"proc/stat": before}).cpuTime([]int{0, 1})
	if d := cmp.Diff([]float64{1.66, 4.51, 0.08}, []float64{round(got.busy), round(got.idle), round(got.stolen)}); d != "" {
		t.Error(d)
	}
}

func round(x float64) float64 { return float64(int(x*1e6+0.5)) / 1e6 }

func TestProcesses(t *testing.T) {
	got := made(map[string]string{
		"proc/7/stat":    "7 (a) (b c) S 1 7 7 0 -1 4194560 100 0 0 0 250 50 0 0 20 0 1 0 5\n",
		"proc/8/stat":    "8 (torn",
		"proc/9/stat":    "9 (\x1b[2J) S 1 7 7 0 -1 4194560 100 0 0 0 1 0 0 0\n",
		"proc/self/stat": "7 (x) S\n",
		"proc/uptime":    "1 2\n",
	}).usages()
	want := map[int]usage{7: {"a) (b c", 3}, 9: {"?[2J", 0.01}}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(usage{})); d != "" {
		t.Error(d)
	}
}

func TestInterrupts(t *testing.T) {
	got := made(map[string]string{"proc/interrupts": "            CPU0       CPU2\n   0:         10          2   IO-APIC   2-edge      timer\n LOC:        100        200   Local timer interrupts\n ERR:          7\n MIS:          0\n"}).interruptsServed()
	if d := cmp.Diff(map[int]map[string]float64{
		0: {"0: IO-APIC 2-edge timer": 10, "LOC: Local timer interrupts": 100},
		2: {"0: IO-APIC 2-edge timer": 2, "LOC: Local timer interrupts": 200},
	}, got); d != "" {
		t.Error(d)
	}
}

// A limit of a group above is one too, and the smallest counts.
func TestNestedLimits(t *testing.T) {
	m := made(map[string]string{
		"proc/self/cgroup":                    "0::/pod/container\n",
		"proc/self/mountinfo":                 "1 1 0:27 / /sys/fs/cgroup ro - cgroup2 cgroup rw\n",
		"sys/fs/cgroup/pod/cpu.max":           "100000 50000\n",
		"sys/fs/cgroup/pod/container/cpu.max": "max 100000\n",
		"sys/fs/cgroup/cpu.max":               "800000 100000\n",
	})
	if cpus, period, known := m.cpuLimit(); cpus != 2 || period != 0.05 || !known {
		t.Errorf("%v CPUs in %v s, %v", cpus, period, known)
	}
}

func TestWhatNoiseMeans(t *testing.T) {
	loud := Noise{
		Watched: 0.4, Others: 1.5, Processes: []Process{{7, "make", 0.5}},
		CPUs: []CPUNoise{
			{CPU: 0, Busy: 1, Stolen: 0.2, Interrupts: 20_000, LateMedian: 60e-6, LateWorst: 4e-3, Stopped: 8e-3, StoppedPart: 0.3},
			{CPU: 1, Busy: 0.5},
		},
	}
	quiet := Noise{Watched: 0.4, CPUs: []CPUNoise{{CPU: 3, LateMedian: 55e-6, LateWorst: 80e-6, Stopped: 9e-6, StoppedPart: 0.0001}}}
	unbound := Noise{CPUs: []CPUNoise{{Error: "operation not permitted"}}}
	for _, c := range []struct {
		name  string
		noise Noise
		want  map[string]Level
	}{
		{"loud", loud, map[string]Level{"other processes": Warning, "stolen time": Warning, "interrupts": Note, "stopped threads": Warning, "late timers": Warning}},
		{"quiet", quiet, map[string]Level{"other processes": Fine, "stolen time": Fine, "interrupts": Fine, "stopped threads": Fine, "late timers": Fine}},
		{"unbound", unbound, map[string]Level{"other processes": Fine, "stolen time": Fine, "interrupts": Fine, "stopped threads": Unknown}},
		{"no CPUs", Noise{}, map[string]Level{"other processes": Fine}},
	} {
		got := map[string]Level{}
		for _, f := range c.noise.Findings() {
			got[f.Topic] = f.Level
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
	if f := loud.Findings()[0]; !strings.Contains(f.Found, "1.5 CPUs") || !strings.Contains(f.Found, "make (7) 50% of one") {
		t.Errorf("%+v", f)
	}
}

// The real thing: it measures each CPU, and leaves the process as it was.
func TestMeasure(t *testing.T) {
	m := This()
	before := m.CPUs()
	n, err := m.Measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(n.CPUs)+n.Left != len(before) || n.Watched <= 0 {
		t.Errorf("%+v", n)
	}
	for _, c := range n.CPUs {
		if c.Error != "" || c.StoppedPart < 0 || c.StoppedPart > 1 || c.LateWorst < c.LateMedian {
			t.Errorf("%+v", c)
		}
	}
	if d := cmp.Diff(before, m.CPUs()); d != "" {
		t.Error(d)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Examine(ctx); err != context.Canceled {
		t.Errorf("error %v", err)
	}
	if n, err := At(fstest.MapFS{}).Measure(t.Context()); err != nil || len(n.CPUs) != 0 {
		t.Errorf("a machine that says nothing: %+v, %v", n, err)
	}
}

func TestExamineOfDisk(t *testing.T) {
	if f := This().Disk("."); f.Found == "" || f.Level == Unknown {
		t.Errorf("%+v", f)
	}
	if f := This().Disk("no such folder"); f.Level != Unknown {
		t.Errorf("%+v", f)
	}
}
