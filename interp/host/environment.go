package host

import (
	"crypto/sha256"
	"encoding/hex"
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
	if e.Versus, _, err = hashOf(running); err != nil {
		return e, fmt.Errorf("the program itself can't be read for the record: %w", err)
	}
	return e, nil
}

// running is the file of this program, also when there is a newer one at its path by
// now, or none.
const running = "/proc/self/exe"

// self is how this program is started again: by its path, which says more to who looks
// at processes, as long as that is this program.
func self() string {
	path, err := os.Executable()
	if err != nil {
		return running
	}
	now, err := os.Stat(path)
	if is, failed := os.Stat(running); err != nil || failed != nil || !os.SameFile(now, is) {
		return running
	}
	return path
}

// hashOf returns the SHA-256 of a file, in hexadecimal, and its size.
func hashOf(name string) (hash string, size int64, err error) {
	f, err := os.Open(name)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	sum := sha256.New()
	size, err = io.Copy(sum, f)
	return hex.EncodeToString(sum.Sum(nil)), size, err
}
