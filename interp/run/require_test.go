package run

import (
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/sys/unix"
)

func TestWhatAHostRequires(t *testing.T) {
	const at = "sys/devices/system/cpu/"
	machine := fstest.MapFS{
		at + "cpu1/cpufreq/scaling_governor": {Data: []byte("performance\n")},
		at + "cpu3/cpufreq/scaling_governor": {Data: []byte("powersave\n")},
	}
	var own unix.CPUSet
	for _, cpu := range []int{1, 3, 5} {
		own.Set(cpu)
	}
	for _, c := range []struct {
		name     string
		bound    []int
		governor string
		cores    int
		want     string // part of what it lacks; empty if nothing
	}{
		{"nothing", nil, "", 0, ""},
		{"cores", nil, "", 3, ""},
		{"more cores", nil, "", 4, "offers only 3 CPUs"},
		{"bound to a fast CPU", []int{1}, "performance", 0, ""},
		{"bound to a slow CPU", []int{1, 3}, "performance", 0, `CPU 3 has "powersave"`},
		{"any CPU", nil, "performance", 0, `CPU 3 has "powersave"`},
		{"not known", []int{5}, "performance", 0, "does not say which CPU 5 has"},
	} {
		if got := lacks(machine, &own, c.bound, c.governor, c.cores); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
