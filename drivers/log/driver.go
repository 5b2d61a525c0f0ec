// Package log is the driver for loggers: what one call of a logger costs its
// caller. The loggers are log/slog, zap and zerolog for Go, in this program,
// and spdlog for C++, in a worker of its own. The payload is the text of the
// line; level, time and layout are what the library adds by its defaults.
package log

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"maps"
	"strings"

	"versus/drivers"
	"versus/drivers/goproc"
	"versus/drivers/native"
	"versus/drivers/worker"
	"versus/dsl/schema"
)

const (
	zapModule     = "go.uber.org/zap"
	zerologModule = "github.com/rs/zerolog"
)

//go:embed spdlog
var files embed.FS

// Worker is the program that logs with spdlog.
var Worker = native.Worker{
	Name:      "log",
	Language:  native.Cpp,
	Files:     native.Folder(files, "spdlog"),
	Flags:     []string{"-DSPDLOG_SHARED_LIB", "-DSPDLOG_COMPILED_LIB", "-DSPDLOG_FMT_EXTERNAL"},
	Libraries: []string{"-lspdlog", "-lfmt"},
	Needs: []drivers.Need{
		{Package: "libspdlog-dev", File: "/usr/include/spdlog/version.h"},
		{Package: "libfmt-dev", File: "/usr/include/fmt/core.h"},
	},
}

// MaxLine is the longest text of a line, in bytes.
const MaxLine = 1 << 20

// maxFile bounds the file of the sink, in bytes: a logger fills a disk in no time.
const maxFile = 4 << 30

// Driver describes loggers to the interpreter.
var Driver = drivers.Driver{
	Name: "log",
	Doc:  "Loggers: log/slog, zap and zerolog for Go, spdlog for C++.",
	Attrs: []schema.Attr{
		{
			Name: "library", Type: schema.String, Required: true, OneOf: []string{"slog", "zap", "zerolog", "spdlog"},
			Doc:     "The logger. slog, zap and zerolog write JSON, spdlog text, each with level and time as by its defaults; zap without sampling.",
			Example: `"zap"`,
		},
		{
			Name: "mode", Type: schema.String, Default: `"sync"`, OneOf: []string{"sync", "async"},
			Doc:     "Who writes: with `sync` the call itself; with `async` spdlog's thread (a full queue makes the caller wait), zerolog's diode (a full queue overwrites lines, which are counted as lost), or zap's BufferedWriteSyncer, which has no queue but a buffer of 256 kB. slog has no such mode.",
			Example: `"async"`,
		},
		{
			Name: "sink", Type: schema.String, Default: `"file"`, OneOf: []string{"file", "null", "pipe"},
			Doc:     "Where lines go: a new file in the folder for temporary files (of 4 GiB at most, removed in any case), the device /dev/null, or a pipe that the program wc empties.",
			Example: `"null"`,
		},
		{
			Name: "flush", Type: schema.Any, Default: `"each"`,
			Doc:     "When lines leave the memory of the process: after `\"each\"`, after every so many lines (a number above 1), or at the `\"end\"` and whenever the buffer is full. Nothing is forced to the disk.",
			Example: `"end"`,
		},
		{
			Name: "batch", Type: schema.Integer, Default: "16", Min: 1, Max: 1_000_000,
			Doc:     "Calls that are timed together where there is no rate, because reading the clock takes a good part of what one call takes. Means are exact; percentiles and maxima are of the means of that many calls. 1 times each call. A remark tells where it is too low for 5% of accuracy.",
			Example: "1",
		},
		{
			Name: "queue", Type: schema.Integer, Default: "8192", Min: 2, Max: 1 << 20,
			Doc:     "Lines that the queue holds with `mode = \"async\"`.",
			Example: "1024",
		},
		goproc.Attr,
	},
	Patterns: []drivers.Pattern{drivers.Log},
	Probe:    probe,
	ProbeFor: func(ctx context.Context, w drivers.Workload) drivers.Availability {
		if w.Options["library"] == "spdlog" {
			return Worker.Probe(ctx)
		}
		return drivers.Availability{OK: true}
	},
	Check: check,
	Roles: func(w drivers.Workload) ([]drivers.Role, error) {
		if w.Options["library"] == "spdlog" {
			return []drivers.Role{Worker.Role("logger", true)}, nil
		}
		return []drivers.Role{{Name: "logger", Active: true, Env: goproc.Env(w.Options)}}, nil
	},
}

// Roles are the workers of the driver in Go.
var Roles = worker.Roles{"logger": worker.LoggerFunc(open)}

// options are the arguments of a `backend "log"` block.
type options struct {
	library string
	async   bool
	sink    string // file, null, pipe
	flush   int    // lines; atEnd is at the end
	batch   int
	queue   int
}

// atEnd is the flush of "end".
const atEnd = 0

// read returns the options, or what is wrong with them.
func read(w drivers.Workload) (options, error) {
	o := options{library: "slog", sink: "file", flush: 1, batch: 16, queue: 8192}
	text := func(name string, into *string) {
		if s, ok := w.Options[name].(string); ok {
			*into = s
		}
	}
	number := func(name string, into *int) {
		if x, ok := w.Options[name].(float64); ok {
			*into = int(x)
		}
	}
	mode := "sync"
	text("library", &o.library)
	text("mode", &mode)
	text("sink", &o.sink)
	number("batch", &o.batch)
	number("queue", &o.queue)
	o.async = mode == "async"
	switch f := w.Options["flush"].(type) {
	case nil:
	case string:
		switch f {
		case "each":
		case "end":
			o.flush = atEnd
		default:
			return o, fmt.Errorf(`flush is %q; it must be "each", "end" or a number of lines`, f)
		}
	case float64:
		if f != float64(int32(f)) || f < 1 {
			return o, fmt.Errorf("flush is %v; a number of lines is whole and above 0", f)
		}
		o.flush = int(f)
	default:
		return o, errors.New(`flush must be "each", "end" or a number of lines`)
	}
	if w.Rate > 0 {
		o.batch = 1 // each call has a time of its own at which it is due
	}
	return o, nil
}

func check(w drivers.Workload) error {
	o, err := read(w)
	if err != nil {
		return err
	}
	if o.async && o.library == "slog" {
		return errors.New(`log/slog has no asynchronous mode; use mode = "sync"`)
	}
	if o.async && o.library == "zap" && o.flush != atEnd {
		return errors.New(`zap's asynchronous mode gathers lines in a buffer, and writes them when it is full and at the end: it needs flush = "end"`)
	}
	line, err := lineOf(w.Payload)
	if err != nil {
		return err
	}
	lines := max(w.Warmup.Calls, w.Measure.Calls)
	if size := int64(len(line)) + 100; o.sink == "file" && lines > maxFile/size {
		return fmt.Errorf("%d lines of %d bytes make a file above 4 GiB: log fewer, or use another sink", lines, len(line))
	}
	return nil
}

// lineOf returns the text of a line: for kind bytes letters and digits that
// are always the same, and that no library has to escape.
func lineOf(p drivers.Payload) (string, error) {
	text := ""
	switch p.Kind {
	case "bytes":
		const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
		if p.Bytes <= MaxLine {
			content := p.Content()
			for i, b := range content {
				content[i] = letters[b%64]
			}
			text = string(content)
		}
	case "lines":
		text = strings.TrimSuffix(p.Text, "\n")
		if strings.Contains(text, "\n") {
			return "", errors.New("a call logs one line, and the payload has several")
		}
	default:
		return "", fmt.Errorf("a logger logs bytes(SIZE) or lines(TEXT), not a payload of kind %q", p.Kind)
	}
	if n := max(p.Bytes, len(text)); n > MaxLine {
		return "", fmt.Errorf("a line of %d bytes is over this driver's limit of %d (1 MiB)", n, MaxLine)
	}
	return text, nil
}

func probe(ctx context.Context) drivers.Availability {
	found := drivers.Availability{OK: true, Versions: goproc.Versions(zapModule, zerologModule)}
	spdlog := Worker.Probe(ctx)
	maps.Copy(found.Versions, spdlog.Versions)
	if !spdlog.OK {
		found.Missing, found.Get = "for spdlog only: "+spdlog.Missing, spdlog.Get
	}
	return found
}
