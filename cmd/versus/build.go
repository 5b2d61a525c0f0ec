package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"versus/drivers/all"
	"versus/drivers/native"
)

// buildWorkers builds the workers with these names, or all that this machine has
// the packages for. A worker that was asked for by name must come out of it.
func (a *app) buildWorkers(names []string) int {
	workers := all.Native()
	known := make([]string, 0, len(workers))
	for _, w := range workers {
		known = append(known, w.Name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return a.fail("there is no worker %q to build; there are: %s", name, strings.Join(known, ", "))
		}
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	code := exitOK
	for _, w := range workers {
		asked := slices.Contains(names, w.Name)
		if len(names) > 0 && !asked {
			continue
		}
		if err := w.Lacks(); err != nil {
			fmt.Fprintf(a.out, "%-10s not built: %v\n", w.Name, err)
			if asked {
				code = exitRun
			}
		} else if !a.buildWorker(ctx, w) {
			code = exitRun
		}
		if ctx.Err() != nil {
			return exitInterrupted
		}
	}
	return code
}

func (a *app) buildWorker(ctx context.Context, w native.Worker) bool {
	began := time.Now()
	built, err := w.Build(ctx)
	switch {
	case err != nil:
		fmt.Fprintf(a.err, "versus: %v\n", err)
		return false
	case built:
		fmt.Fprintf(a.out, "%-10s built in %.0f s\n", w.Name, time.Since(began).Seconds())
	default:
		fmt.Fprintf(a.out, "%-10s up to date\n", w.Name)
	}
	return true
}
