package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"versus/drivers"
	"versus/drivers/all"
	"versus/dsl/spell"
	"versus/interp/run"
	"versus/interp/starter"
)

// first are the drivers of a scenario for which none are named: they need
// nothing but versus itself.
var first = []string{"grpc", "http"}

func initCommand(a *app, fs *flag.FlagSet, args []string) int {
	out := fs.String("out", "", "`file` to write; default DRIVERS.hcl, - is standard output")
	names, code, done := a.parse(fs, args, 0, 20)
	if done {
		return code
	}
	if len(names) == 0 {
		names = first
	}
	reg := all.Registry()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	var chosen []drivers.Driver
	for _, n := range names {
		d, ok := reg.Find(n)
		if !ok {
			return a.fail("there is no driver %q. %s", n, driverHint(n))
		}
		if d.Probe != nil {
			if found := d.Probe(ctx); !found.OK {
				fmt.Fprintf(a.err, "versus: warning: %s can't run here yet: %s. To get it: %s\n", n, found.Missing, found.Get)
			}
		}
		chosen = append(chosen, d)
	}
	if *out == "" {
		*out = strings.Join(names, "_") + ".hcl"
	}
	env, err := run.Environment(ctx, nil)
	if err != nil {
		return a.fail("%v", err)
	}
	name := strings.TrimSuffix(filepath.Base(*out), ".hcl")
	if *out == "-" {
		name = strings.Join(names, "_")
	}
	src, err := starter.Write(name, chosen, starter.Machine{CPUs: runtime.NumCPU(), Governor: env.Governor})
	if err != nil {
		return a.fail("%v", err)
	}
	if *out == "-" {
		if _, err := a.out.Write(src); err != nil {
			return a.fail("%v", err)
		}
		return exitOK
	}
	return a.create(*out, src)
}

// driverHint says which driver was probably meant, or who lists them.
func driverHint(name string) string {
	var names []string
	for _, d := range all.Registry() {
		names = append(names, d.Name)
	}
	if near := spell.Nearest(name, names); near != "" {
		return fmt.Sprintf("Did you mean %q?", near)
	}
	return "`versus drivers` lists them."
}

// create writes a new file, and never over one that is there.
func (a *app) create(name string, content []byte) int {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, os.ErrExist) {
		return a.fail("%s is there already; choose another file with -out", name)
	}
	if err == nil {
		_, err = f.Write(content)
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
	}
	if err != nil {
		return a.fail("%v", err)
	}
	fmt.Fprintf(a.out, "wrote %s; to go on:\n  versus run -var quick=true %s\n  versus run %s\n", name, name, name)
	return exitOK
}
