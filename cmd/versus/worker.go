package main

import (
	"fmt"
	"os"

	"versus/drivers/all"
	kit "versus/drivers/worker"
	"versus/interp/host"
	"versus/interp/host/relay"
)

// worker plays one role of a driver in this process, speaking the worker
// protocol on standard input and output: `versus worker DRIVER ROLE`. With
// host.PlacedFlag instead it is the attendant of another host, and with host.RelayFlag
// first the relay of a link.
func worker(args []string) int {
	if len(args) == 1 && args[0] == host.PlacedFlag {
		return host.Placed(os.Stdin, os.Stdout)
	}
	if len(args) > 0 && args[0] == host.RelayFlag {
		return relay.Main(args[1:])
	}
	if len(args) != 2 {
		fmt.Fprintln(os.Stderr, "versus: usage: versus worker DRIVER ROLE; versus run starts it")
		return exitScenario
	}
	roles, err := all.Worker(args[0], args[1])
	if err != nil {
		fmt.Fprintf(os.Stderr, "versus: %v\n", err)
		return exitScenario
	}
	return kit.Main(args[0], args[1], roles, os.Stdin, os.Stdout)
}
