// Package protocol is what the interpreter and a worker say to each other:
// newline-delimited JSON on the worker's standard input and output, one
// message a line. docs/worker-protocol.md explains it to authors of workers in
// other languages. Both ends decode what the other sent as untrusted.
//
// The conversation of one run:
//
//	worker      -> hello                      once, right after the start
//	interpreter -> prepare   worker -> ready  addresses and effective settings
//	interpreter -> warm_up   worker -> warm   active roles only
//	interpreter -> measure   worker -> measuring  passive roles: window opened
//	                         worker -> result     active roles: when it is over
//	interpreter -> finish    worker -> result     passive roles
//	interpreter -> stop      worker exits with status 0
//
// A worker may answer any message with error, and ends when its input ends.
package protocol

import "versus/drivers"

// Version is the version of the protocol. A worker of another version is refused.
const Version = 1

// MaxLine is the longest line that either side accepts, in bytes.
const MaxLine = 8 << 20

// Message types, from the interpreter.
const (
	TypePrepare = "prepare"
	TypeWarmUp  = "warm_up"
	TypeMeasure = "measure"
	TypeFinish  = "finish"
	TypeStop    = "stop"
)

// Message types, from the worker.
const (
	TypeHello     = "hello"
	TypeReady     = "ready"
	TypeWarm      = "warm"
	TypeMeasuring = "measuring"
	TypeResult    = "result"
	TypeError     = "error"
)

// Message is one line. Type says which of the other fields count.
type Message struct {
	Type string `json:"type"`

	// hello
	Protocol int    `json:"protocol,omitempty"` // Version
	Worker   string `json:"worker,omitempty"`   // driver and role: "grpc client"
	PID      int    `json:"pid,omitempty"`

	// prepare
	Workload *drivers.Workload `json:"workload,omitempty"`
	// Peers are the addresses that the roles ready before this one gave, by role.
	Peers map[string]map[string]string `json:"peers,omitempty"`
	// Listen is the IP address on which the role listens, so that roles on other
	// hosts reach it; absent is 127.0.0.1.
	Listen string `json:"listen,omitempty"`
	// ClockShift is what the clock of the interpreter's host shows more than the
	// CLOCK_MONOTONIC of the worker's, nanoseconds: stamps of messages count by
	// that clock, so that hosts agree on it. A worker that does so repeats it in ready.
	ClockShift int64 `json:"clock_shift,omitempty"`

	// ready
	Addresses map[string]string `json:"addresses,omitempty"`
	// Effective are the settings really in force, for the record: versions,
	// transport, shared memory or not, GOMAXPROCS.
	Effective map[string]string `json:"effective,omitempty"`

	// finish
	// Sent is how many messages the active roles sent in the window, so that a
	// subscriber knows what to wait for; Drain is how long it may wait, seconds.
	Sent  int64   `json:"sent,omitempty"`
	Drain float64 `json:"drain,omitempty"`

	// result
	Result *Result `json:"result,omitempty"`

	// error
	Error string `json:"error,omitempty"`
}

// Result is what one role measured in the window. Times are in seconds but in
// histograms, which count nanoseconds.
type Result struct {
	// Elapsed is the length of the window on the worker's monotonic clock, seconds.
	Elapsed float64 `json:"elapsed"`
	// Counts of messages or calls.
	Sent       int64            `json:"sent,omitempty"`
	Received   int64            `json:"received,omitempty"`
	Lost       int64            `json:"lost,omitempty"`
	Duplicated int64            `json:"duplicated,omitempty"`
	Reordered  int64            `json:"reordered,omitempty"`
	Late       int64            `json:"late,omitempty"`     // sends more than one period late
	Negative   int64            `json:"negative,omitempty"` // latencies below zero, counted and left out
	Errors     map[string]int64 `json:"errors,omitempty"`   // by kind
	// Offered is the rate that the schedule asked for, per second; 0 in a closed loop.
	Offered float64 `json:"offered,omitempty"`
	// Latency counts from when the message was due; Service from when it was sent.
	// In a closed loop the two are the same, and Service is nil.
	Latency *Distribution `json:"latency,omitempty"`
	Service *Distribution `json:"service,omitempty"`
	// Windows cut the extent of the measurement into at most MaxWindows equal
	// shares, in order, and sum up the times of Latency in each. A time belongs
	// to the share in which its message was due or, in a closed loop, its call
	// began. Absent where a worker doesn't know.
	Windows []Window `json:"windows,omitempty"`
	// SendLag is how late each send of an open loop began.
	SendLag *Distribution `json:"send_lag,omitempty"`
	// CPUUser and CPUSystem are the CPU time of the role over the window, seconds.
	// Their sum is exact; the kernel splits it by sampling, so that the two
	// alone mean little below half a second.
	CPUUser   float64 `json:"cpu_user"`
	CPUSystem float64 `json:"cpu_system"`
	// PeakMemory is the largest resident set in the window, bytes.
	PeakMemory int64 `json:"peak_memory,omitempty"`
	WireBytes  int64 `json:"wire_bytes,omitempty"`
	// Flags are remarks for the audit, for example "fallback: udp instead of shared memory".
	Flags []string `json:"flags,omitempty"`
}

// MaxWindows is the largest number of windows of a result.
const MaxWindows = 100

// Window is one share of a run: how many times were measured in it, and their
// sum in nanoseconds.
type Window struct {
	Count int64 `json:"count"`
	Sum   int64 `json:"sum"`
}

// Distribution is a set of times. Sum, Min and Max are exact; the histogram
// has 3 significant digits.
type Distribution struct {
	Count int64 `json:"count"`
	Sum   int64 `json:"sum"` // nanoseconds
	Min   int64 `json:"min"` // nanoseconds
	Max   int64 `json:"max"` // nanoseconds
	// SumSquares is the sum of squares, in seconds squared.
	SumSquares float64 `json:"sum_squares"`
	// Histogram is an HdrHistogram, V2 compressed, base64: values are
	// nanoseconds from 1 to MaxTrackable, 3 significant digits.
	Histogram string `json:"histogram"`
	// Over counts values above MaxTrackable; they are in Count, Sum and Max,
	// and in the histogram's last bucket.
	Over int64 `json:"over,omitempty"`
}

// MaxTrackable is the largest value that a histogram tells apart: one hour, in nanoseconds.
const MaxTrackable = int64(3600 * 1e9)
