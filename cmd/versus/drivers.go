package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"versus/drivers"
	"versus/drivers/all"
)

// driverInfo is one driver in the JSON of `versus drivers`.
type driverInfo struct {
	Name      string            `json:"name"`
	Doc       string            `json:"doc"`
	Patterns  []drivers.Pattern `json:"patterns"`
	Available bool              `json:"available"`
	Versions  map[string]string `json:"versions,omitempty"`
	Missing   string            `json:"missing,omitempty"`
	Get       string            `json:"get,omitempty"`
}

func driversCommand(a *app, fs *flag.FlagSet, args []string) int {
	rest, code, done := a.parse(fs, args, 0, math.MaxInt)
	switch {
	case done:
		return code
	case len(rest) > 0 && rest[0] == "build":
		return a.buildWorkers(rest[1:])
	case len(rest) > 0:
		return a.fail("usage: versus drivers, or versus drivers build [NAME...]")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	var infos []driverInfo
	for _, d := range all.Registry() {
		found := drivers.Availability{OK: true}
		if d.Probe != nil {
			found = d.Probe(ctx)
		}
		infos = append(infos, driverInfo{d.Name, d.Doc, d.Patterns, found.OK, found.Versions, found.Missing, found.Get})
	}
	if a.format == "json" {
		enc := json.NewEncoder(a.out)
		enc.SetIndent("", "  ")
		_ = enc.Encode(infos)
		return exitOK
	}
	for _, i := range infos {
		state := "available"
		if !i.Available {
			state = "missing"
		}
		var patterns []string
		for _, p := range i.Patterns {
			patterns = append(patterns, string(p))
		}
		fmt.Fprintf(a.out, "%-10s %-10s %-12s %s\n", i.Name, state, strings.Join(patterns, ","), i.Doc)
		for _, part := range slices.Sorted(maps.Keys(i.Versions)) {
			fmt.Fprintf(a.out, "%-34s %s %s\n", "", part, i.Versions[part])
		}
		if i.Missing != "" {
			fmt.Fprintf(a.out, "%-34s missing: %s\n", "", i.Missing)
		}
		if i.Get != "" {
			fmt.Fprintf(a.out, "%-34s to get it: %s\n", "", i.Get)
		}
	}
	return exitOK
}
