package run

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"versus/drivers"
	"versus/interp/journal"
)

// Environment describes this machine, this program, and the versions that the
// given drivers find. Cores are the CPUs that this process may use. What a
// machine does not tell, such as the governor of a virtual one, stays empty.
// It is an error if the program itself can't be read.
func Environment(ctx context.Context, used drivers.Registry) (journal.Environment, error) {
	e := machine(os.DirFS("/"))
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

// machine describes this machine; root is its file system.
func machine(root fs.FS) journal.Environment {
	e := journal.Environment{
		OS:       osName(root),
		CPU:      cpuModel(root),
		Cores:    ownCPUs().Count(),
		Governor: governors(root),
		Clock:    line(root, "sys/devices/system/clocksource/clocksource0/current_clocksource"),
	}
	e.Host, _ = os.Hostname()
	var name unix.Utsname
	if unix.Uname(&name) == nil {
		e.Kernel = unix.ByteSliceToString(name.Sysname[:]) + " " + unix.ByteSliceToString(name.Release[:])
	}
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) == nil {
		e.Memory = int64(info.Totalram) * int64(info.Unit)
	}
	return e
}

// line returns the content of a file of one line, "" if there is none.
func line(root fs.FS, name string) string {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// entry returns the value behind one of the keys in the lines of a file, those
// of the first key first.
func entry(root fs.FS, name, separator string, keys ...string) string {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return ""
	}
	for _, key := range keys {
		for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
			k, v, ok := strings.Cut(s.Text(), separator)
			if ok && strings.TrimSpace(k) == key {
				return strings.Trim(v, " \t\"")
			}
		}
	}
	return ""
}

func osName(root fs.FS) string {
	if name := entry(root, "etc/os-release", "=", "PRETTY_NAME"); name != "" {
		return name
	}
	return runtime.GOOS
}

// cpuModel names the CPU; ARM kernels give only a part number.
func cpuModel(root fs.FS) string {
	name := entry(root, "proc/cpuinfo", ":", "model name", "Model", "cpu model", "uarch")
	if part := entry(root, "proc/cpuinfo", ":", "CPU part"); name == "" && part != "" {
		name = "implementer " + entry(root, "proc/cpuinfo", ":", "CPU implementer") + " part " + part
	}
	return strings.TrimSpace(name + " (" + runtime.GOARCH + ")")
}

// governors names the frequency governors in use, normally one.
func governors(root fs.FS) string {
	files, _ := fs.Glob(root, "sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor")
	var names []string
	for _, f := range files {
		if g := line(root, f); g != "" && !slices.Contains(names, g) {
			names = append(names, g)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
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
