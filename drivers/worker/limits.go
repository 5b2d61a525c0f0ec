package worker

import (
	"fmt"
	"math"

	"versus/drivers"
)

// Limits of what one worker does, against a workload that would only exhaust
// the machine.
const (
	maxCallers = 100_000 // callers times calls in flight
	maxTopics  = 10_000
	maxRate    = 10_000_000 // per second, of one caller or topic
)

// checkWorkload refuses what no load can be made of. It doesn't know what the
// driver can carry.
func checkWorkload(w drivers.Workload) error {
	switch {
	case w.Concurrency < 0 || w.InFlight < 0 || w.Topics < 0:
		return fmt.Errorf("concurrency %d, in_flight %d and topics %d can't be below 0", w.Concurrency, w.InFlight, w.Topics)
	case w.Concurrency > maxCallers || inFlight(w) > maxCallers/max(w.Concurrency, 1):
		return fmt.Errorf("%d callers with %d calls in flight each; a worker has %d together at most", w.Concurrency, inFlight(w), maxCallers)
	case w.Topics > maxTopics:
		return fmt.Errorf("%d topics; a worker has %d at most", w.Topics, maxTopics)
	case !(w.Rate >= 0 && w.Rate <= maxRate):
		return fmt.Errorf("a rate of %v per second; it must be from 0 to %d", w.Rate, maxRate)
	case w.Payload.Bytes < 0:
		return fmt.Errorf("a payload of %d bytes", w.Payload.Bytes)
	case w.Measure == drivers.Extent{}:
		return fmt.Errorf("the window to measure has no length")
	}
	for _, x := range []drivers.Extent{w.Warmup, w.Measure} {
		if !(x.Seconds >= 0 && x.Seconds <= math.MaxInt32) || x.Calls < 0 || x.Seconds > 0 && x.Calls > 0 {
			return fmt.Errorf("%v s and %d calls: a phase needs one of them, above 0", x.Seconds, x.Calls)
		}
	}
	return nil
}

// inFlight returns how many calls each caller may have waiting.
func inFlight(w drivers.Workload) int {
	switch {
	case w.Rate == 0:
		return 1
	case w.InFlight == 0:
		return defaultInFlight
	}
	return w.InFlight
}
