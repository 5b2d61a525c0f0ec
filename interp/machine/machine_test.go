package machine

import (
	"strings"
	"testing"
	"testing/fstest"

	"versus/dsl"
)

// made is a machine of files that a test makes up.
func made(files map[string]string) Machine {
	root := fstest.MapFS{}
	for name, text := range files {
		root[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return At(root)
}

func TestThisMachine(t *testing.T) {
	m := This()
	e := m.Environment()
	if len(m.CPUs()) < 1 || e.Cores != len(m.CPUs()) || !strings.HasPrefix(e.Kernel, "Linux ") || e.Memory < 1<<20 || e.OS == "" || e.CPU == "" || e.Host == "" {
		t.Errorf("CPUs %v, environment %+v", m.CPUs(), e)
	}
}

func TestEnvironment(t *testing.T) {
	const cpu = "sys/devices/system/cpu/"
	e := made(map[string]string{
		"etc/os-release":                      "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 13 (trixie)\"\n",
		"proc/cpuinfo":                        "processor\t: 0\nmodel name\t: AMD EPYC 9B45\n\nprocessor\t: 1\nmodel name\t: AMD EPYC 9B45\n",
		"proc/meminfo":                        "MemTotal:       65798600 kB\nMemFree:        3020172 kB\n",
		"proc/self/status":                    "Name:\tversus\nCpus_allowed_list:\t0-1,4\n",
		"proc/sys/kernel/osrelease":           "6.12.9\n",
		cpu + "cpu0/cpufreq/scaling_governor": "powersave\n",
		cpu + "cpu1/cpufreq/scaling_governor": "performance\n",
		cpu + "cpu2/cpufreq/scaling_governor": "powersave\n",
		"sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
	}).Environment()
	if e.OS != "Debian GNU/Linux 13 (trixie)" || !strings.HasPrefix(e.CPU, "AMD EPYC 9B45 (") || e.Cores != 3 ||
		e.Memory != 65798600<<10 || e.Kernel != "Linux 6.12.9" || e.Governor != "performance, powersave" || e.Clock != "tsc" {
		t.Errorf("environment %+v", e)
	}
	arm := made(map[string]string{"proc/cpuinfo": "processor : 0\nCPU implementer : 0x41\nCPU part : 0xd40\n"}).Environment()
	if !strings.HasPrefix(arm.CPU, "implementer 0x41 part 0xd40 (") || arm.Governor != "" || arm.OS != "linux" {
		t.Errorf("environment %+v", arm)
	}
}

func TestLacks(t *testing.T) {
	const at = "sys/devices/system/cpu/"
	m := made(map[string]string{
		"proc/self/status":                   "Cpus_allowed_list:\t1,3,5\n",
		at + "cpu1/cpufreq/scaling_governor": "performance\n",
		at + "cpu3/cpufreq/scaling_governor": "powersave\n",
	})
	fast := dsl.Require{Governor: "performance"}
	for _, c := range []struct {
		name  string
		bound []int
		need  dsl.Require
		want  string // part of what it lacks; empty if nothing
	}{
		{"nothing", nil, dsl.Require{}, ""},
		{"cores", nil, dsl.Require{Cores: 3}, ""},
		{"more cores", nil, dsl.Require{Cores: 4}, "offers only 3 CPUs"},
		{"another CPU", []int{1, 2}, dsl.Require{}, "CPU 2, but"},
		{"bound to a fast CPU", []int{1}, fast, ""},
		{"bound to a slow CPU", []int{1, 3}, fast, `CPU 3 has "powersave"`},
		{"any CPU", nil, fast, `CPU 3 has "powersave"`},
		{"not known", []int{5}, fast, "does not say which CPU 5 has"},
	} {
		if got := m.Lacks(c.bound, c.need); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
