package machine

import (
	"slices"
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
		cpu + "cpufreq/boost":                        "1\n",
		cpu + "smt/active":                           "0\n",
		cpu + "vulnerabilities/meltdown":             "Not affected\n",
		cpu + "vulnerabilities/retbleed":             "Vulnerable: Clear CPU buffers attempted, no microcode\n",
		cpu + "vulnerabilities/spectre_v2":           "Mitigation: Retpolines; IBPB: conditional; STIBP: disabled\n",
		"sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never\n",
	}).Environment()
	if e.OS != "Debian GNU/Linux 13 (trixie)" || !strings.HasPrefix(e.CPU, "AMD EPYC 9B45 (") || e.Cores != 3 ||
		e.Memory != 65798600<<10 || e.Kernel != "Linux 6.12.9" || e.Governor != "performance, powersave" || e.Clock != "tsc" ||
		e.Turbo != "on" || e.SMT != "off" || e.HugePages != "madvise" || e.Virtual != "" || e.Mitigations != "retbleed: none; spectre_v2: Retpolines" {
		t.Errorf("environment %+v", e)
	}
	arm := made(map[string]string{"proc/cpuinfo": "processor : 0\nCPU implementer : 0x41\nCPU part : 0xd40\n"}).Environment()
	if !strings.HasPrefix(arm.CPU, "implementer 0x41 part 0xd40 (") || arm.Governor != "" || arm.OS != "linux" {
		t.Errorf("environment %+v", arm)
	}
}

// What a question from afar or an odd kernel may hold does no harm.
func TestLacksOddThings(t *testing.T) {
	for _, release := range []string{"", "...", "generic", "6", "99999999999999999999.1"} {
		m := made(map[string]string{"proc/sys/kernel/osrelease": release})
		for _, want := range []string{"6.1", "x", "."} {
			got := m.Lacks(nil, dsl.Require{Kernel: want, Memory: 1, Binaries: []string{"../../x", ""}})
			if got == "" {
				t.Errorf("release %q, want %q: nothing is missing", release, want)
			}
		}
	}
}

// A container may share the processes of its machine (docker run --pid=host).
func TestContainerThatSeesAllProcesses(t *testing.T) {
	const only = "only those of the container"
	alone := made(map[string]string{".dockerenv": ""}).container()
	shared := made(map[string]string{".dockerenv": "", "proc/2/comm": "kthreadd\n"}).container()
	if len(alone) != 1 || len(shared) != 1 || !strings.Contains(alone[0].Effect, only) || strings.Contains(shared[0].Effect, only) {
		t.Errorf("%v %v", alone, shared)
	}
}

func TestLacksWhatIsNotSaid(t *testing.T) {
	m := made(nil)
	for _, got := range []string{m.Lacks([]int{0}, dsl.Require{}), m.Lacks(nil, dsl.Require{Cores: 1}), m.Lacks(nil, dsl.Require{Governor: "performance"})} {
		if !strings.Contains(got, "does not say") {
			t.Errorf("%q", got)
		}
	}
	if got := m.Lacks(nil, dsl.Require{}); got != "" {
		t.Errorf("nothing is required, but: %s", got)
	}
}

func TestLacks(t *testing.T) {
	const at = "sys/devices/system/cpu/"
	m := made(map[string]string{
		"proc/self/status":                   "Cpus_allowed_list:\t1,3,5\n",
		at + "cpu1/cpufreq/scaling_governor": "performance\n",
		at + "cpu3/cpufreq/scaling_governor": "powersave\n",
		"proc/sys/kernel/osrelease":          "6.1.0-28-amd64\n",
		"proc/meminfo":                       "MemTotal: 8388608 kB\nMemAvailable: 4194304 kB\n",
		"usr/bin/tc":                         "",
		"usr/bin/notes":                      "",
		"relative/odd":                       "",
	})
	m.files.(fstest.MapFS)["usr/bin/tc"].Mode = 0o755
	m.files.(fstest.MapFS)["relative/odd"].Mode = 0o755
	fast := dsl.Require{Governor: "performance"}
	t.Setenv("PATH", "/usr/bin:relative")
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
		{"memory", nil, dsl.Require{Memory: 4 << 30}, ""},
		{"more memory", nil, dsl.Require{Memory: 12 << 30}, "12 GiB of free memory, but only 4096 MiB"},
		{"an older kernel", nil, dsl.Require{Kernel: "5.15"}, ""},
		{"this kernel", nil, dsl.Require{Kernel: "6.1"}, ""},
		{"a later kernel", nil, dsl.Require{Kernel: "6.1.1"}, "this one is 6.1.0-28-amd64"},
		{"a much later kernel", nil, dsl.Require{Kernel: "6.10"}, "kernel 6.10 or later"},
		{"a program", nil, dsl.Require{Binaries: []string{"tc", "/usr/bin/tc"}}, ""},
		{"one that can't run", nil, dsl.Require{Binaries: []string{"tc", "notes"}}, `the program "notes"`},
		{"one in a folder that moves", nil, dsl.Require{Binaries: []string{"odd"}}, `the program "odd"`},
	} {
		if got := m.Lacks(c.bound, c.need); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A control group lets a program have less than the machine has free, and so does
// one above it.
func TestMemoryOfGroups(t *testing.T) {
	const v1 = " /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
	for _, c := range []struct {
		name  string
		files map[string]string
		want  int64 // MiB
	}{
		{"none", map[string]string{}, 4096},
		{"version 2", map[string]string{
			"proc/self/cgroup": "0::/a\n", "proc/self/mountinfo": "28 22 0:25 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
			"sys/fs/cgroup/a/memory.max": "1073741824\n", "sys/fs/cgroup/a/memory.current": "268435456\n"}, 768},
		{"version 1", map[string]string{
			"proc/self/cgroup": "5:memory:/a/b\n4:cpu,cpuacct:/\n0::/\n", "proc/self/mountinfo": "28 22 0:25 /" + v1,
			"sys/fs/cgroup/memory/a/b/memory.limit_in_bytes": "9223372036854771712\n", "sys/fs/cgroup/memory/a/b/memory.usage_in_bytes": "268435456\n",
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "1073741824\n", "sys/fs/cgroup/memory/a/memory.usage_in_bytes": "536870912\n"}, 512},
	} {
		c.files["proc/meminfo"] = "MemAvailable: 4194304 kB\n"
		if got := made(c.files).memoryFree() >> 20; got != c.want {
			t.Errorf("%s: %d MiB, want %d", c.name, got, c.want)
		}
	}
}

// A group is below the one that is mounted only if it is in its folder: /ab is not in /a.
func TestBelow(t *testing.T) {
	for _, c := range []struct {
		root, own string
		want      []string
	}{
		{"/", "/a/b", []string{"m/a/b", "m/a", "m"}},
		{"/a", "/a/b", []string{"m/b", "m"}},
		{"/a", "/a", []string{"m"}},
		{"/a", "/ab", []string{"m/ab", "m"}},
	} {
		if got := below("/m", c.root, c.own); !slices.Equal(got, c.want) {
			t.Errorf("%s in %s: %q, want %q", c.own, c.root, got, c.want)
		}
	}
}
