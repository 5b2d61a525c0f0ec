package host

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Workers that are no part of versus are brought to a host through the pipe of its
// attendant, and lie in the user's cache folder there, by their hash.

const (
	maxProgram  = 1 << 30          // bytes of a worker
	loadTimeout = 10 * time.Second // for the loader to look for libraries
	unused      = 30 * 24 * time.Hour
)

// programFolder is where programs that were brought lie.
func programFolder() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		// A command may give no environment: env -i, for example.
		u, unknown := user.Current()
		if unknown != nil || !filepath.IsAbs(u.HomeDir) {
			return "", fmt.Errorf("no folder for workers: %w", err)
		}
		cache = filepath.Join(u.HomeDir, ".cache")
	}
	return filepath.Join(cache, "versus"), nil
}

var isHash = regexp.MustCompile(`^[0-9a-f]{64}$`)

// brought returns the path of a program that was brought here.
func brought(hash string) (string, error) {
	if !isHash.MatchString(hash) {
		return "", fmt.Errorf("%q is no hash of a program", hash)
	}
	folder, err := programFolder()
	return filepath.Join(folder, "worker-"+hash), err
}

// prepare takes the program, if it follows on rest, and reports whether it is here
// and would run.
func (p *program) prepare(rest io.Reader) *programState {
	path, err := brought(p.SHA256)
	if p.Sent {
		taken := &io.LimitedReader{R: rest, N: p.Size}
		if err == nil {
			err = p.take(path, taken)
		}
		// What can't be kept is read all the same: the next question follows it.
		io.Copy(io.Discard, taken)
	}
	if err != nil {
		return &programState{Problem: err.Error()}
	}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return &programState{}
	}
	now := time.Now()
	os.Chtimes(path, now, now)
	state := &programState{Here: true}
	if state.Libraries, err = lacksToLoad(path, p.Environment); err != nil {
		state.Problem = err.Error()
	}
	return state
}

// take keeps the program, and removes those that were not used for long.
func (p *program) take(path string, from io.Reader) error {
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	sweep(folder)
	f, err := os.CreateTemp(folder, "new.*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(f, sum), from)
	err = errors.Join(err, f.Chmod(0o700), f.Close())
	switch {
	case err != nil:
		return err
	case n != p.Size || hex.EncodeToString(sum.Sum(nil)) != p.SHA256:
		return errors.New("another program arrived than was sent")
	}
	return os.Rename(f.Name(), path)
}

// sweep removes workers that nobody used for long, and what was left half taken.
func sweep(folder string) {
	for _, pattern := range []string{"worker-*", "new.*"} {
		names, _ := filepath.Glob(filepath.Join(folder, pattern))
		for _, name := range names {
			if info, err := os.Stat(name); err == nil && time.Since(info.ModTime()) > unused {
				os.Remove(name)
			}
		}
	}
}

// lacksToLoad returns what the loader of the system does not find for a program,
// and an error if the program can't run for another reason.
func lacksToLoad(path string, environment map[string]string) ([]string, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the worker is no program: %w", err)
	}
	defer f.Close()
	if self, err := elf.Open("/proc/self/exe"); err == nil {
		defer self.Close()
		if f.Machine != self.Machine {
			return nil, fmt.Errorf("the worker is for machines of another kind: %v, not %v", f.Machine, self.Machine)
		}
	}
	loader := ""
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP && p.Filesz < 4096 {
			text := make([]byte, p.Filesz)
			p.ReadAt(text, 0)
			loader = strings.TrimRight(string(text), "\x00")
		}
	}
	if loader == "" {
		return nil, nil // it needs none, and would run instead of being looked at
	}
	if _, err := os.Stat(loader); err != nil {
		return []string{loader}, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), loadTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, path)
	all, _ := environ(nil, environment)
	cmd.Env = append(all, "LD_TRACE_LOADED_OBJECTS=1") // as ldd does
	out, err := cmd.CombinedOutput()
	missing := notFound(out)
	if err != nil && missing == nil {
		return nil, fmt.Errorf("the loader refuses the worker: %w: %s", err, Clip(string(bytes.TrimSpace(out))))
	}
	return missing, nil
}

// notFound finds what is missing in the words of the loader: libraries by name,
// and versions of libraries as it says it.
func notFound(out []byte) (missing []string) {
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSpace(line)
		name, _, library := strings.Cut(line, " => not found")
		if !library && !strings.Contains(line, "not found") {
			continue
		}
		if !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
	}
	return missing
}
