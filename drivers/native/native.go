// Package native builds and finds the workers that are not written in Go, and
// holds the kits that they are written with (cpp/versus.hpp, rust/kit). The sources
// are part of the program, so that a versus without its repository can build them;
// the programs lie in the user's cache folder, each under the hash of all that it
// was built from. It starts no worker and knows no driver.
package native

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"versus/drivers"
)

// kit is the C++ kit: versus.hpp and the headers beneath it.
//
//go:embed cpp
var kit embed.FS

// crates are the kit and all workers in Rust: one workspace, so that they share
// one Cargo.lock.
//
//go:embed rust/Cargo.toml rust/Cargo.lock rust/kit rust/zenoh
var crates embed.FS

// The languages of workers.
const (
	Cpp  = "c++"
	Rust = "rust"
)

// Worker is the program that plays the roles of a driver.
type Worker struct {
	// Name is the name of the driver, or of the program where a driver has
	// several; it is what `versus drivers build` takes.
	Name     string
	Language string // Cpp or Rust
	// Files are the sources, embedded in the driver's package. For C++ every
	// .cpp, .cc, .cxx and .c file in it is compiled, after Generate. Nil for
	// Rust: there a crate NAME-worker of the workspace in rust/ has them.
	Files fs.FS
	// Generate are commands that make more sources, run in the folder of the
	// sources one after the other.
	Generate [][]string
	// Include are folders of headers, Flags go to the compiler and Libraries to
	// the linker. In folders, a glob stands for what is there. Variables of the
	// environment are replaced in all: ${TAO_ROOT}/include.
	Include, Flags, Libraries []string
	// Needs is what must be installed, to build or to run, beyond the compiler
	// and what the kit needs.
	Needs []drivers.Need
	// Get says how to get what Needs lists, where that is no Debian package.
	Get string
}

// needs returns all that the worker needs, the compiler first.
func (w Worker) needs() []drivers.Need {
	base := []drivers.Need{{Package: "g++", Command: "g++"}, {Package: "zlib1g-dev", File: "/usr/include/zlib.h"}}
	if w.Language == Rust {
		base = []drivers.Need{{Package: "cargo", Command: "cargo"}}
	}
	return append(base, w.Needs...)
}

// Missing returns the Debian packages that the worker lacks on this machine, in
// the order of its needs.
func (w Worker) Missing() []string {
	var packages []string
	for _, n := range drivers.Lacking(w.needs()) {
		if !slices.Contains(packages, n.Package) {
			packages = append(packages, n.Package)
		}
	}
	return packages
}

// Lacks returns what must be installed before the worker can be built and run,
// as an error that says how; nil if nothing is missing.
func (w Worker) Lacks() error {
	if missing := w.Missing(); len(missing) > 0 {
		return fmt.Errorf("the worker of %s needs what is not installed: %s", w.Name, w.howToGet(missing))
	}
	return nil
}

// NotBuilt says that a worker has to be built before its driver can run.
type NotBuilt struct{ Worker string }

func (e *NotBuilt) Error() string {
	return fmt.Sprintf("%s; `versus drivers build %s` builds it", e.what(), e.Worker)
}

func (e *NotBuilt) what() string {
	return fmt.Sprintf("the worker of %s is not built, or not from the present sources and libraries", e.Worker)
}

// Binary returns the program, built from exactly the present sources, flags,
// compiler and libraries. It is an error if packages are missing, and a
// *NotBuilt if it must be built first.
func (w Worker) Binary(ctx context.Context) (string, error) {
	if err := w.Lacks(); err != nil {
		return "", err
	}
	folder, err := w.folder(ctx)
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, w.program())
	if info, err := os.Stat(path); err != nil || info.Mode()&0o111 == 0 {
		return "", &NotBuilt{w.Name}
	}
	return path, nil
}

func (w Worker) program() string { return w.Name + "-worker" }

func (w Worker) howToGet(packages []string) string {
	if w.Get != "" {
		return w.Get
	}
	return "apt-get install " + strings.Join(packages, " ")
}

// Probe reports whether the driver can run on this machine, for drivers.Driver.
func (w Worker) Probe(ctx context.Context) drivers.Availability {
	build := "versus drivers build " + w.Name
	if missing := w.Missing(); len(missing) > 0 {
		text := "the Debian package " + missing[0]
		if len(missing) > 1 {
			text = "the Debian packages " + strings.Join(missing, ", ")
		}
		if w.Get != "" {
			return drivers.Availability{Missing: strings.Join(missing, ", "), Get: w.Get + "; then " + build}
		}
		return drivers.Availability{Missing: text, Get: w.howToGet(missing) + " && " + build}
	}
	var notBuilt *NotBuilt
	switch _, err := w.Binary(ctx); {
	case errors.As(err, &notBuilt):
		return drivers.Availability{Missing: notBuilt.what(), Get: build}
	case err != nil:
		return drivers.Availability{Missing: err.Error()}
	}
	found := drivers.Availability{OK: true, Versions: map[string]string{}}
	compiler, err := w.compiler(ctx)
	if err == nil {
		name, version, _ := strings.Cut(compiler, " ")
		found.Versions[name] = version
	}
	maps.Copy(found.Versions, w.versions(ctx))
	return found
}

// versions returns the versions of the Debian packages in Needs, as far as dpkg
// knows them: a library built by hand is no package.
func (w Worker) versions(ctx context.Context) map[string]string {
	m := map[string]string{}
	for _, n := range w.Needs {
		if _, ok := m[n.Package]; ok || n.Package == "" {
			continue
		}
		out, err := exec.CommandContext(ctx, "dpkg-query", "--show", "--showformat=${Version}", n.Package).Output()
		if version := strings.TrimSpace(string(out)); err == nil && version != "" {
			m[n.Package] = version
		}
	}
	return m
}

// Folder returns a folder of the embedded files of a driver, for Worker.Files. It
// panics if there is no such folder.
func Folder(files embed.FS, name string) fs.FS {
	if _, err := files.ReadDir(name); err != nil {
		panic(err)
	}
	sub, err := fs.Sub(files, name)
	if err != nil {
		panic(err)
	}
	return sub
}

// Crate returns the version of a package that the workers in Rust are built with,
// as their Cargo.lock pins it; "" if it is not in there.
func Crate(name string) string {
	lock, err := crates.ReadFile("rust/Cargo.lock")
	if err != nil {
		return ""
	}
	_, rest, _ := strings.Cut(string(lock), fmt.Sprintf("name = %q\nversion = \"", name))
	version, _, _ := strings.Cut(rest, `"`)
	return version
}
