package worker

import (
	"slices"

	"versus/drivers"
	"versus/drivers/protocol"
)

// windows are the times of one caller or topic, summed up over equal shares of
// the extent: how a run went along. A time belongs to the window in which its
// call was due or, in a closed loop, began; where the extent is a number of
// calls, to the window of its number. It is not safe for concurrent use.
type windows struct {
	sums  []protocol.Window // of this run, in list
	list  []protocol.Window
	start int64   // ns on the monotonic clock, or the number of a call
	scale float64 // windows per ns or call
}

func newWindows() *windows {
	w := &windows{list: make([]protocol.Window, protocol.MaxWindows)}
	w.begin(1, 0, 1)
	return w
}

// begin forgets everything and cuts what is from start on, of this length, into
// n windows.
func (w *windows) begin(n int, start int64, length float64) {
	clear(w.list)
	w.sums, w.start, w.scale = w.list[:n], start, float64(n)/max(length, 1)
}

// record adds a time, in nanoseconds, to the window of the point at.
func (w *windows) record(at, ns int64) {
	k := int(float64(at-w.start) * w.scale)
	k = min(max(k, 0), len(w.sums)-1) // a schedule of calls may end a little later than computed
	w.sums[k].Count++
	w.sums[k].Sum += ns
}

// windowsIn returns how many windows an extent is cut into that is shared out to n
// callers: no caller may have fewer calls than windows.
func windowsIn(x drivers.Extent, n int) int {
	if x.Calls == 0 {
		return protocol.MaxWindows
	}
	return int(min(max(x.Calls/int64(n), 1), protocol.MaxWindows))
}

// addWindows adds up the windows of all callers; nil without samples.
func addWindows(ws ...*windows) []protocol.Window {
	var all []protocol.Window
	any := false
	for _, w := range ws {
		all = append(all, slices.Repeat([]protocol.Window{{}}, max(len(w.sums)-len(all), 0))...)
		for k, s := range w.sums {
			all[k].Count += s.Count
			all[k].Sum += s.Sum
			any = any || s.Count > 0
		}
	}
	if !any {
		return nil
	}
	return all
}
