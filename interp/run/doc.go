// Package run executes a plan: it starts the processes of each run, leads
// them through the worker protocol, and writes what they measured, or why they
// did not, into the journal. It analyses nothing and prints nothing; where
// processes live is the business of interp/host.
//
// The road through the package: Run walks the plan (run.go), leaves out what stop
// rules make needless (until.go), and skips what the journal has and what this
// machine can't do (available.go). A session is one run: its processes (process.go)
// and what they say (session.go), the phases through which they go (phases.go), and
// the blame when one of them fails (fault.go). guard.go sees to it that none outlives
// a versus that is killed. environment.go describes, for the record, the machine and
// the versions of the drivers; resume.go compares it with an earlier one.
//
// It is made for Linux.
package run
