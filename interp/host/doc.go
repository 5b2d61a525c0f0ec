// Package host has the places where the processes of a run live, and starts them
// there: this machine, network namespaces on it with links between them, and other
// machines. It knows nothing of what the processes say to each other, and decides
// nothing about a run.
//
// Hosts makes what the roles of a cell need (hosts.go), gives the Place of each, and
// starts its Process (process.go) from a thread that has what the place has: CPUs,
// namespaces (launch.go, netns.go), a priority (priority.go). Links between
// namespaces (link.go; relay.go where a process makes them) are measured
// (link_measure.go) by trains of frames (link_train.go). Other machines are reached by
// a pipe (remote.go, ssh.go, wire.go) to a versus of their own, the attendant: this side
// of what the two say is attendant.go, the other placed.go, attend.go and workers.go,
// which starts the processes. Workers that are no part of versus are brought (bring.go,
// programs.go), and clocks are compared with this one's (clocks.go). examine.go looks whether a
// machine has what a host requires, before anything runs.
//
// It is made for Linux.
package host
