package all_test

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// BenchmarkRaw compares the raw drivers with a pair of processes in C that does
// the least for a call, over the same: what Go and the kit add to the floor.
func BenchmarkRaw(b *testing.B) {
	floor := filepath.Join(b.TempDir(), "floor")
	if out, err := output(need(b, "cc", "apt-get install gcc"), "-O2", "-o", floor, "../raw/testdata/floor.c"); err != nil {
		b.Fatal(err, out)
	}
	for _, c := range []struct {
		driver, peer string
		options      map[string]any
	}{
		{"tcp", "tcp", nil},
		{"unix", "unix", nil},
		{"shm", "futex", nil},
		{"shm", "spin", map[string]any{"spin": 5e-6}},
	} {
		b.Run(fmt.Sprintf("driver=%s/callers=1/c_%s", c.driver, c.peer), func(b *testing.B) {
			serve(b, c.driver, c.options, 1).compare(b, "c_"+c.peer, func() (float64, error) {
				out, err := output(floor, c.peer, strconv.Itoa(size), "0.5")
				if err != nil {
					return 0, err
				}
				return strconv.ParseFloat(strings.TrimSpace(out), 64)
			})
		})
		b.Run(fmt.Sprintf("driver=%s/callers=4/%s", c.driver, c.peer), func(b *testing.B) {
			serve(b, c.driver, c.options, 4).compare(b, "", nil)
		})
	}
}
