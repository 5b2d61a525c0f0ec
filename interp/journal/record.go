// Package journal is the record of a result: a folder with scenario.json (the
// resolved scenario and its fingerprint), environment.json and runs.jsonl, one
// checksummed line a run, appended and synced. Nothing in it is ever
// rewritten, but for a torn last line, which is cut off.
//
// Merge joins the journals of several machines that each measured a shard of one
// plan into a new one.
//
// Everything that a report says comes from here: the journal alone is enough
// to print it again on another machine.
package journal

import (
	"fmt"
	"time"

	"versus/drivers/protocol"
)

// Status says how a run ended.
type Status string

// The statuses of a run.
const (
	OK      Status = "ok"
	Failed  Status = "failed"  // an error, a time-out, a worker that died
	Skipped Status = "skipped" // can't run here: the driver or the host is not available
)

// Run is one measurement of one cell, in fresh processes.
type Run struct {
	Cell   string    `json:"cell"`  // plan.Cell.Key
	Run    int       `json:"run"`   // number in the cell, from 0
	Order  int       `json:"order"` // position in the order of the plan, from 0
	Start  time.Time `json:"start"`
	Status Status    `json:"status"`
	Error  string    `json:"error,omitempty"` // why, when not OK
	// Setup is the time from starting the processes until all were ready, and
	// Total the time of the whole run, seconds.
	Setup float64 `json:"setup,omitempty"`
	Total float64 `json:"total,omitempty"`
	// Machine is the name of the machine that made the run, where there are
	// several: one of Environment.Machines.
	Machine string `json:"machine,omitempty"`
	// Links are the links between the hosts of its roles, by name, as they were
	// measured before.
	Links map[string]*Link `json:"links,omitempty"`
	// Machines are the machines of its roles other than the one in
	// environment.json, by the name of the host.
	Machines map[string]*Environment `json:"machines,omitempty"`
	// Clocks are how the clocks of hosts differ from that of the machine in
	// environment.json, by the name of the host, where one-way times depend on it.
	Clocks map[string]Clock `json:"clocks,omitempty"`
	// Conditions are those on the machine of versus during the run; nil where they
	// were not recorded.
	Conditions *Conditions `json:"conditions,omitempty"`
	// Roles are the results by role name.
	Roles map[string]*Role `json:"roles,omitempty"`
	// Values are the metrics of a replayed run, by name; Roles is then empty.
	Values map[string]float64 `json:"values,omitempty"`
}

// Clock is how the clock of a host differs before and after a run. Stamps of
// messages are corrected by the offset before.
type Clock struct {
	Before ClockOffset `json:"before"`
	After  ClockOffset `json:"after"`
}

// ClockOffset is what a clock shows more than another one, and by how much that
// may be wrong, both in nanoseconds.
type ClockOffset struct {
	Offset int64 `json:"offset"`
	Bound  int64 `json:"bound"`
}

// ClockBound is by how much a one-way time of the run may be wrong at most
// because the clocks of its hosts differ, in nanoseconds: what is not known of
// two of them, and how far they moved in the run.
func (r *Run) ClockBound() int64 {
	var worst, second int64
	for _, c := range r.Clocks {
		moved := c.After.Offset - c.Before.Offset
		b := max(c.Before.Bound, max(moved, -moved)+c.After.Bound)
		worst, second = max(worst, b), max(second, min(worst, b))
	}
	return worst + second
}

// Conditions are what disturbed a run on the machine of versus, from the start of
// its processes to their end, as far as Linux counts it. CPU times are counted in
// hundredths of a second: of a run of a second, a share is right to a few percent.
type Conditions struct {
	// Others is the share of the time of the CPUs that versus may use in which
	// they were busy with other work than the run and versus, and Stolen that in
	// which the host of a virtual machine did something else.
	Others float64 `json:"others"`
	Stolen float64 `json:"stolen"`
	// Throttled is for how long control groups stopped versus and its processes
	// because they had used up their CPU time, seconds.
	Throttled float64 `json:"throttled,omitempty"`
	// Changed is how the settings of the machine differ, in words, from those with
	// which versus began to measure.
	Changed []string `json:"changed,omitempty"`
}

// Link is what really passes between two hosts. Pairs are from the first of its
// hosts to the second, and back.
type Link struct {
	// Via is what adds delay, jitter and loss: "netem" of the kernel, or "relay", a
	// process of versus. Empty: nothing does.
	Via string `json:"via,omitempty"`
	// Rate is in bit/s of Ethernet frames, before any is lost; 0 where it is not
	// limited.
	Rate [2]float64 `json:"rate"`
	// RoundTrip is the sum of both ways of the smallest frame, in seconds: of the
	// fastest ones, or with jitter of those in the middle.
	RoundTrip float64 `json:"round_trip"`
	// Jitter is how much later or earlier than in the middle a frame is, at most,
	// in seconds; Loss is the share of Probes frames that were lost. Each is 0 where
	// it is not asked for.
	Jitter [2]float64 `json:"jitter,omitzero"`
	Loss   [2]float64 `json:"loss,omitzero"`
	Probes [2]int     `json:"probes,omitzero"`
	// Full is how many frames found the queue of the rate, or of netem, full in the
	// run, and were lost. Where netem is to lose frames too, it does not tell.
	Full  [2]int64 `json:"full,omitzero"`
	Relay *Relay   `json:"relay,omitempty"`
}

// Relay is what the relay of a link did in a run.
type Relay struct {
	Passed [2]int64 `json:"passed"` // frames
	Lost   [2]int64 `json:"lost"`   // frames that the link was asked to lose
	// Dropped are frames beside Lost that it could not take or hand on: then it was
	// not the link that was asked for.
	Dropped [2]int64 `json:"dropped,omitzero"`
	// LateMean and LateMax say how much after they were due frames went on, in
	// seconds.
	LateMean float64 `json:"late_mean"`
	LateMax  float64 `json:"late_max"`
	CPU      float64 `json:"cpu"` // seconds
}

// Role is what one process of a run reported.
type Role struct {
	Active bool   `json:"active,omitempty"`
	Host   string `json:"host,omitempty"` // its name; empty: this machine, and nothing in the scenario says so
	// Listen is the address that it listens at, where that is not loopback.
	Listen    string            `json:"listen,omitempty"`
	Effective map[string]string `json:"effective,omitempty"`
	Env       []string          `json:"env,omitempty"`
	Result    *protocol.Result  `json:"result"`
}

// Header is scenario.json.
type Header struct {
	Format   int    `json:"format"` // version of the journal's format
	Versus   string `json:"versus"` // version of the program
	Scenario string `json:"scenario"`
	Main     string `json:"main"` // file or folder as given, relative to the sources
	// Path is where the scenario was on the machine that ran it.
	Path string `json:"path"`
	// Sources are all files read to load the scenario, Variables the values of
	// variables as HCL (sensitive ones are null).
	Sources   map[string]string `json:"sources"`
	Variables map[string]string `json:"variables,omitempty"`
	// Methodology is the fingerprinted text, a list of "path = value", and
	// Fingerprint the SHA-256 of its lines.
	Methodology []string  `json:"methodology"`
	Fingerprint string    `json:"fingerprint"`
	Cells       int       `json:"cells"`
	Runs        int       `json:"runs"`
	Created     time.Time `json:"created"`
	// Shard says which part of the plan the result is to hold; nil for all of it.
	Shard *Shard `json:"shard,omitempty"`
}

// Shard is a part of a plan that one machine measures.
type Shard struct {
	Number int `json:"number"` // from 1 to Of
	Of     int `json:"of"`
	Cells  int `json:"cells"`
	Runs   int `json:"runs"` // with stop rules, at most
}

// String is how a command line names the shard: 2/8.
func (s *Shard) String() string { return fmt.Sprintf("%d/%d", s.Number, s.Of) }

// Environment is environment.json: the machine and the versions of what was measured.
type Environment struct {
	Host     string `json:"host"`
	OS       string `json:"os"`
	Kernel   string `json:"kernel"`
	CPU      string `json:"cpu"`
	Cores    int    `json:"cores"`
	Memory   int64  `json:"memory"` // bytes
	Governor string `json:"governor,omitempty"`
	Clock    string `json:"clock,omitempty"`
	// Turbo and SMT are "on" or "off": whether CPUs clock higher for a while, and
	// whether cores run two threads. HugePages is whether the kernel makes them by
	// itself: "always", "madvise", "never". All are empty where a machine does not
	// tell, and what was recorded before there were such fields has none.
	Turbo     string `json:"turbo,omitempty"`
	SMT       string `json:"smt,omitempty"`
	HugePages string `json:"huge_pages,omitempty"`
	// CPULimit is how many CPUs' time control groups allow; 0: all.
	CPULimit float64 `json:"cpu_limit,omitempty"`
	// Virtual is what a virtual machine runs on, empty on a real one, and
	// Mitigations what its kernel does against faults of the CPU, which makes
	// system calls slower.
	Virtual     string            `json:"virtual,omitempty"`
	Mitigations string            `json:"mitigations,omitempty"`
	Go          string            `json:"go"`
	Versus      string            `json:"versus"`   // hash of the program itself
	Versions    map[string]string `json:"versions"` // by driver and part: "grpc: google.golang.org/grpc"
	// Machines are all machines of a result that was merged from those of several
	// machines, by the names that its runs give; the fields above are then the
	// first of them.
	Machines map[string]*Environment `json:"machines,omitempty"`
}
