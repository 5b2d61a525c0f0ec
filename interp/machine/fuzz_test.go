package machine

import (
	"testing"
	"testing/fstest"
	"unicode"

	"versus/dsl"
)

// odd are files that are parsed, with what they hold on some machine.
var odd = map[string]string{
	"proc/stat":                       "cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1 2 3 4 5 6 7 8 9 10\n",
	"proc/meminfo":                    "MemTotal: 8 kB\nMemAvailable: 4 kB\nSwapTotal: 3 kB\nSwapFree: 1 kB\nHugetlb: 1 kB\n",
	"proc/loadavg":                    "0.5 0.4 0.3 1/2 3\n",
	"proc/pressure/cpu":               "some avg10=1.00 avg60=0.00 avg300=0.00 total=1\n",
	"proc/pressure/memory":            "some avg10=1.00 avg60=0.00 avg300=0.00 total=1\n",
	"proc/interrupts":                 "           CPU0\n  1: 5 IO-APIC x\nNMI: 0\n",
	"proc/7/stat":                     "7 (a) b) c) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n",
	"proc/7/comm":                     "irqbalance\n",
	"proc/self/status":                "CapEff: 0000\nCpus_allowed_list: 0-1\n",
	"proc/self/cgroup":                "4:cpu,cpuacct:/a\n0::/b/c\n",
	"proc/self/mountinfo":             "28 22 0:25 /b /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n29 22 0:26 / /cpu rw - cgroup cgroup rw,cpu\n",
	"proc/self/limits":                "Max open files 1024 4096 files\n",
	"proc/cpuinfo":                    "model name : x\nflags : a hypervisor\n",
	"proc/config.gz":                  "not gzip",
	"proc/sys/kernel/osrelease":       "6.1.0-x\n",
	"sys/fs/cgroup/cpu.max":           "150000 100000\n",
	"sys/fs/cgroup/cpu.stat":          "throttled_usec 5\n",
	"sys/fs/cgroup/memory.max":        "5\n",
	"sys/fs/cgroup/memory.current":    "7\n",
	"sys/devices/system/cpu/online":   "0-1\n",
	"sys/devices/system/cpu/isolated": "1\n",
	"sys/devices/system/node/online":  "0-1\n",
	"sys/devices/system/cpu/cpu0/topology/thread_siblings_list": "0-1\n",
	"sys/devices/system/cpu/smt/active":                         "1\n",
	"sys/kernel/mm/transparent_hugepage/enabled":                "[always] madvise never\n",
	"proc/sys/net/ipv4/ip_local_port_range":                     "1 2\n",
}

// Whatever one of the files holds, everything is read, and what is said of it
// fits on a terminal and in JSON.
func FuzzOddFiles(f *testing.F) {
	for name, text := range odd {
		f.Add(name, []byte(text))
	}
	f.Add("proc/self/mountinfo", []byte("28 22 0:25 /.. /../.. rw - cgroup2 cgroup2 rw\n"))
	f.Add("proc/self/status", []byte("Cpus_allowed_list: 0-4095\n"))
	f.Add("proc/interrupts", []byte("CPU0 CPU1\n1: 99999999999999999999 1\n"))
	f.Add("proc/7/stat", []byte("7 )( S"))
	f.Add("proc/cpuinfo", []byte("model name : \x1b[31m\xff"))
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		if _, ok := odd[name]; !ok {
			return
		}
		root := fstest.MapFS{}
		for n, s := range odd {
			root[n] = &fstest.MapFile{Data: []byte(s)}
		}
		root[name] = &fstest.MapFile{Data: text}
		m := At(root)
		e := Examination{Machine: m.Environment(), Findings: m.Findings()}
		m.Lacks([]int{0}, dsl.Require{Governor: "a", Cores: 1, Memory: 1, Kernel: "6.1", Binaries: []string{"tc"}})
		m.usages()
		m.interruptsServed()
		m.cpuTime([]int{0, 1})
		m.throttled()
		e.Each(func(s string) string {
			for _, r := range s {
				if unicode.IsControl(r) && r != '\t' || r == unicode.ReplacementChar {
					t.Fatalf("%q can't be printed", s)
				}
			}
			return s
		})
	})
}
