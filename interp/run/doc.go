// Package run executes a plan: it starts the processes of each run, leads
// them through the worker protocol, and writes what they measured, or why they
// did not, into the journal. It analyses nothing and prints nothing.
//
// The road through the package: Run walks the plan (run.go) and skips what the
// journal has and what this machine can't do (available.go). A session is one
// run: its processes and what they say (session.go), the phases through which
// they go (phases.go), and the blame when one of them fails (fault.go).
// process.go and launch.go start and end a process, guard.go sees to it that
// none outlives a versus that is killed. network.go has the hosts that versus
// makes itself, network namespaces (netns.go), with the links between them
// (link.go; relay.go where a process makes them), which are measured
// (link_measure.go) by trains of frames (link_train.go), and those on other
// machines (remote.go, ssh.go), where a versus of their own does its part
// (placed.go, attend.go), to which workers that are no part of versus are brought
// (bring.go, programs.go), and whose clocks are compared with this one's
// (clocks.go). environment.go describes, for the record, the machine
// (interp/machine) and the versions of the drivers; resume.go compares it with an
// earlier one.
//
// It is made for Linux.
package run
