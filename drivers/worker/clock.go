package worker

import (
	"math"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Go's monotonic clock is CLOCK_MONOTONIC, read without a system call, but Go
// only tells differences. clock is its absolute value at origin, found once a
// process, so that times can be compared between the processes of a host.
var clock struct {
	once   sync.Once
	origin time.Time
	value  int64 // CLOCK_MONOTONIC at origin, nanoseconds
	bound  int64 // the error of value is at most this, nanoseconds
	// shift is what the clock that the hosts of a run agree on shows more than
	// that of this one, nanoseconds; set before there is any load.
	shift int64
}

// calibrateClock finds clock. It must be called before now.
func calibrateClock() {
	clock.once.Do(func() {
		clock.origin = time.Now()
		best := int64(math.MaxInt64)
		// Each try brackets a reading of the system's clock between two of
		// Go's; the tightest bracket bounds the error.
		for range 200 {
			var ts unix.Timespec
			before := time.Since(clock.origin)
			if unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts) != nil {
				continue
			}
			after := time.Since(clock.origin)
			if width := int64(after - before); width < best {
				best = width
				clock.value = ts.Nano() - int64(before+after)/2
				clock.bound = (width + 1) / 2
			}
		}
	})
}

// now returns CLOCK_MONOTONIC in nanoseconds. It takes about 30 ns.
func now() int64 { return clock.value + int64(time.Since(clock.origin)) }

// shared returns what the clock that all hosts of a run agree on shows when this
// host's shows t.
func shared(t int64) int64 { return t + clock.shift }

// seconds converts nanoseconds.
func seconds(ns int64) float64 { return float64(ns) * 1e-9 }
