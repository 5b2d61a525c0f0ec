package native

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// standard are the flags of every worker in C++.
var standard = []string{"-std=c++17", "-O2", "-Wall", "-Wextra", "-pthread"}

// Build builds the worker, unless it was built before from exactly the present
// sources, flags, compiler and libraries. It reports whether there was something
// to do. Several processes may build at the same time.
func (w Worker) Build(ctx context.Context) (built bool, err error) {
	_, err = w.Binary(ctx)
	var notBuilt *NotBuilt
	if !errors.As(err, &notBuilt) {
		return false, err
	}
	folder, err := w.folder(ctx)
	if err != nil {
		return false, err
	}
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return false, fmt.Errorf("cache folder: %w", err)
	}
	unlock, err := lock(filepath.Join(filepath.Dir(folder), w.Name+".lock"))
	if err != nil {
		return false, err
	}
	defer unlock()
	if _, err := w.Binary(ctx); err == nil {
		return false, nil // another process was faster
	}
	work, err := os.MkdirTemp(filepath.Dir(folder), "building-"+w.Name+"-")
	if err != nil {
		return false, fmt.Errorf("cache folder: %w", err)
	}
	defer os.RemoveAll(work)
	if err := w.write(work); err != nil {
		return false, err
	}
	program, err := w.make(ctx, work)
	if err != nil {
		return false, fmt.Errorf("the worker of %s does not build: %w", w.Name, err)
	}
	return true, w.install(program, folder)
}

// install puts the program into the folder, and removes those of earlier sources.
func (w Worker) install(program, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if err := os.Rename(program, filepath.Join(folder, w.program())); err != nil {
		return err
	}
	others, err := filepath.Glob(filepath.Join(filepath.Dir(folder), w.Name+"-"+strings.Repeat("?", hashLength)))
	if err != nil {
		return err
	}
	for _, other := range others {
		// A younger one may be about to start, by another version of versus.
		if info, err := os.Stat(other); err == nil && other != folder && time.Since(info.ModTime()) > 24*time.Hour {
			os.RemoveAll(other)
		}
	}
	return nil
}

// lock waits for the file's lock, which ends with the process at the latest.
func lock(name string) (unlock func(), err error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("cache folder: %w", err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s can't be locked: %w", name, err)
	}
	return func() { f.Close() }, nil
}

// write writes all sources into the folder; the C++ kit goes to kit/.
func (w Worker) write(folder string) error {
	if w.Language == Rust {
		return os.CopyFS(filepath.Join(folder, "src"), Folder(crates, "rust"))
	}
	if err := os.CopyFS(filepath.Join(folder, "src"), w.Files); err != nil {
		return fmt.Errorf("sources of %s: %w", w.Name, err)
	}
	headers, err := fs.Sub(kit, "cpp")
	if err != nil {
		return err
	}
	return os.CopyFS(filepath.Join(folder, "kit"), headers)
}

// make builds the program in the folder with the sources, and returns its path.
func (w Worker) make(ctx context.Context, folder string) (string, error) {
	src := filepath.Join(folder, "src")
	for _, command := range w.Generate {
		if err := execute(ctx, src, command...); err != nil {
			return "", err
		}
	}
	if w.Language == Rust {
		return w.cargo(ctx, src, folder)
	}
	flags := slices.Concat(standard, []string{"-I" + filepath.Join(folder, "kit")}, w.flags())
	var objects []string
	entries, err := os.ReadDir(src)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		command := append([]string{"g++"}, flags...)
		switch filepath.Ext(e.Name()) {
		case ".cpp", ".cc", ".cxx":
		case ".c":
			command = append([]string{"gcc", "-O2"}, w.flags()...)
		default:
			continue
		}
		object := e.Name() + ".o"
		objects = append(objects, object)
		if err := execute(ctx, src, append(command, "-c", e.Name(), "-o", object)...); err != nil {
			return "", err
		}
	}
	link := slices.Concat([]string{"g++", "-pthread", "-o", "program"}, objects, expand(w.Libraries), []string{"-lz"})
	return filepath.Join(src, "program"), execute(ctx, src, link...)
}

// cargo builds the worker's crate. What it compiles of others is kept beside the workers.
func (w Worker) cargo(ctx context.Context, src, folder string) (string, error) {
	target := filepath.Join(filepath.Dir(folder), "cargo")
	build := []string{"cargo", "build", "--quiet", "--release", "--locked", "--package", w.program(), "--target-dir", target}
	if err := execute(ctx, src, build...); err != nil {
		return "", err
	}
	// A copy, because cargo looks at what it made.
	program := filepath.Join(folder, w.program())
	made, err := os.ReadFile(filepath.Join(target, "release", w.program()))
	if err != nil {
		return "", err
	}
	return program, os.WriteFile(program, made, 0o755)
}

// flags returns what the compiler gets beside the flags of every worker.
func (w Worker) flags() []string {
	flags := []string{"-I."}
	for _, folder := range expand(w.Include) {
		found, err := filepath.Glob(folder)
		if err != nil || len(found) == 0 {
			found = []string{folder} // the compiler will say that it misses a header
		}
		flags = append(flags, "-isystem", found[len(found)-1])
	}
	return append(flags, expand(w.Flags)...)
}

func expand(list []string) []string {
	var all []string
	for _, s := range list {
		all = append(all, os.ExpandEnv(s))
	}
	return all
}

// maxOutput is how much of a compiler's messages an error quotes, in bytes.
const maxOutput = 4 << 10

// execute runs a command in a folder.
func execute(ctx context.Context, folder string, command ...string) error {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir = folder
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	out = bytes.TrimSpace(out)
	if len(out) > maxOutput {
		out = append(out[:maxOutput], "..."...)
	}
	return fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), err, out)
}

// hashLength is the number of characters of the hash in a folder's name.
const hashLength = 16

// folder returns where the program lies when it is built: its name has the hash
// of all that goes into it.
func (w Worker) folder(ctx context.Context) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder for workers: %w", err)
	}
	compiler, err := w.compiler(ctx)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q %q %q %q\n", w.Language, compiler, standard, w.flags(), expand(w.Libraries), w.Generate)
	sources := []fs.FS{kit, w.Files}
	if w.Language == Rust {
		sources = []fs.FS{crates}
	}
	for _, files := range sources {
		if err := hashFiles(h, files); err != nil {
			return "", fmt.Errorf("sources of %s: %w", w.Name, err)
		}
	}
	for _, n := range w.needs() {
		// Another version of a library is another file.
		if info, err := os.Stat(n.Find()); err == nil {
			fmt.Fprintf(h, "%q %d %d\n", n.Find(), info.Size(), info.ModTime().UnixNano())
		}
	}
	sum := hex.EncodeToString(h.Sum(nil))[:hashLength]
	return filepath.Join(cache, "versus", "workers", w.Name+"-"+sum), nil
}

func hashFiles(h io.Writer, files fs.FS) error {
	return fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, name)
		fmt.Fprintf(h, "%q %d\n%s\n", name, len(text), text)
		return err
	})
}

// compilers are the versions of compilers by the path of the program: they are
// asked once a process, because plans look up workers for every cell.
var compilers sync.Map

// compiler returns name and version of the compiler: "g++ 12.2.0".
func (w Worker) compiler(ctx context.Context) (string, error) {
	name, flag := "g++", "-dumpfullversion"
	if w.Language == Rust {
		name, flag = "rustc", "--version"
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("no compiler: %w", err)
	}
	if known, ok := compilers.Load(path); ok {
		return known.(string), nil
	}
	out, err := exec.CommandContext(ctx, path, flag).Output()
	if err != nil {
		return "", fmt.Errorf("the compiler %s does not tell its version: %w", path, err)
	}
	version := name + " " + strings.TrimPrefix(strings.TrimSpace(string(out)), name+" ")
	compilers.Store(path, version)
	return version, nil
}
