package host

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

	"versus/interp/journal"
	"versus/interp/machine"
)

// Environment describes this machine and this program. What a machine does not
// tell, such as the governor of a virtual one, stays empty. It is an error if the
// program itself can't be read.
func Environment() (journal.Environment, error) {
	e := machine.This().Environment()
	e.Go = runtime.Version()
	var err error
	if e.Versus, err = programHash(); err != nil {
		return e, fmt.Errorf("the program itself can't be read for the record: %w", err)
	}
	return e, nil
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
