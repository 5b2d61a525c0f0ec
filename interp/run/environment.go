package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

	"versus/drivers"
	"versus/interp/journal"
	"versus/interp/machine"
)

// Environment describes this machine, this program, and the versions that the
// given drivers find. Cores are the CPUs that this process may use. What a
// machine does not tell, such as the governor of a virtual one, stays empty.
// It is an error if the program itself can't be read.
func Environment(ctx context.Context, used drivers.Registry) (journal.Environment, error) {
	e := machine.This().Environment()
	e.Go = runtime.Version()
	var err error
	if e.Versus, err = programHash(); err != nil {
		return e, fmt.Errorf("the program itself can't be read for the record: %w", err)
	}
	e.Versions = map[string]string{}
	for _, d := range used {
		for part, version := range probe(ctx, d.Probe).Versions {
			e.Versions[d.Name+": "+part] = version
		}
	}
	return e, ctx.Err()
}

// programHash returns the SHA-256 of the running program, in hexadecimal.
func programHash() (string, error) {
	// Not os.Executable: the file there may be a newer one by now.
	f, err := os.Open("/proc/self/exe")
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), errors.Join(err, f.Close())
}
