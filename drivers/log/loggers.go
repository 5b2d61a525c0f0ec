package log

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strconv"
	"time"

	"github.com/rs/zerolog"
	"github.com/rs/zerolog/diode"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"versus/drivers/goproc"
	"versus/drivers/worker"
)

// logger is one library on a sink.
type logger interface {
	Log()
	// flush hands over what the library still holds; the sink comes after it.
	flush() error
	// effective are settings worth knowing.
	effective() map[string]string
}

// opened completes a logger with its sink.
type opened struct {
	logger
	sink *sink
}

func (o opened) Flush() error {
	err := o.logger.flush()
	o.sink.Flush()
	return err
}

func (o opened) Lines() (int64, error) { return o.sink.Lines() }

// open is the role logger.
func open(_ context.Context, s worker.Setup) (worker.Logger, int, worker.Ready, func() error, error) {
	fail := func(err error) (worker.Logger, int, worker.Ready, func() error, error) {
		return nil, 0, worker.Ready{}, nil, err
	}
	o, err := read(s.Workload)
	if err != nil {
		return fail(err)
	}
	line, err := lineOf(s.Workload.Payload)
	if err != nil {
		return fail(err)
	}
	if err := limitFile(); err != nil {
		return fail(err)
	}
	out, err := openSink(o, len(line))
	if err != nil {
		return fail(err)
	}
	l, err := newLogger(o, out, line)
	if err != nil {
		return fail(errors.Join(err, out.close()))
	}
	effective := map[string]string{
		"library": o.library, "sink": out.effective(), "batch": strconv.Itoa(o.batch), "flush": flushText(o.flush),
	}
	maps.Copy(effective, l.effective())
	return opened{l, out}, o.batch, worker.Ready{Effective: effective}, out.close, nil
}

func flushText(flush int) string {
	switch flush {
	case atEnd:
		return "at the end, and when 64 KiB are full"
	case 1:
		return "each line"
	}
	return fmt.Sprintf("every %d lines, and when 64 KiB are full", flush)
}

func newLogger(o options, out *sink, line string) (logger, error) {
	switch {
	case o.library == "slog" && !o.async:
		return slogLogger{slog.New(slog.NewJSONHandler(out, nil)), line}, nil
	case o.library == "zap":
		return newZap(o, out, line), nil
	case o.library == "zerolog":
		return newZerolog(o, out, line), nil
	}
	return nil, fmt.Errorf("library %q does not log here in this mode", o.library)
}

type slogLogger struct {
	to   *slog.Logger
	line string
}

func (l slogLogger) Log()         { l.to.Info(l.line) }
func (l slogLogger) flush() error { return nil }
func (l slogLogger) effective() map[string]string {
	return map[string]string{"mode": "sync", "layout": "JSON: time, level, msg"}
}

type zapLogger struct {
	to     *zap.Logger
	line   string
	buffer *zapcore.BufferedWriteSyncer // nil without async
}

// zapBuffer is the buffer of zap's asynchronous mode, its default, in bytes.
const zapBuffer = 256 << 10

// newZap builds zap's production logger without sampling, which would drop
// lines, and without the name of the caller's file.
func newZap(o options, out *sink, line string) zapLogger {
	l := zapLogger{line: line}
	to := zapcore.Lock(zapcore.AddSync(out))
	if o.async {
		l.buffer = &zapcore.BufferedWriteSyncer{WS: zapcore.AddSync(out), Size: zapBuffer}
		to = l.buffer
	}
	l.to = zap.New(zapcore.NewCore(zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig()), to, zapcore.InfoLevel))
	return l
}

func (l zapLogger) Log()         { l.to.Info(l.line) }
func (l zapLogger) flush() error { return l.to.Sync() }
func (l zapLogger) effective() map[string]string {
	m := map[string]string{"mode": "sync", "layout": "JSON: level, ts, msg", "sampling": "off"}
	maps.Copy(m, goproc.Versions(zapModule))
	if l.buffer != nil {
		m["mode"] = "async: BufferedWriteSyncer; the caller whose line fills the buffer writes it"
		m["flush"] = "at the end, and when 256 kB are full"
	}
	return m
}

type zerologLogger struct {
	to    zerolog.Logger
	line  string
	queue *diode.Writer // nil without async
	out   marked
	size  int // of the queue, lines
}

func newZerolog(o options, out *sink, line string) *zerologLogger {
	l := &zerologLogger{line: line, out: marked{out, make(chan struct{}, 1)}}
	if o.async {
		l.size = o.queue
		l.start()
		return l
	}
	l.to = zerolog.New(out).With().Timestamp().Logger()
	return l
}

// marked is the sink behind a queue: an empty line is a mark, and none of the log's.
type marked struct {
	*sink
	reached chan struct{}
}

func (m marked) Write(line []byte) (int, error) {
	if len(line) > 0 {
		return m.sink.Write(line)
	}
	select {
	case m.reached <- struct{}{}:
	default: // two marks have arrived
	}
	return 0, nil
}

// start opens the queue. The lines that it drops don't arrive, and are counted by that.
func (l *zerologLogger) start() {
	w := diode.NewWriter(l.out, l.size, 0, nil)
	l.queue = &w
	l.to = zerolog.New(w).With().Timestamp().Logger()
}

func (l *zerologLogger) Log() { l.to.Info().Msg(l.line) }

// How often a mark is sent, and after how long the next one follows. A mark that
// arrives while the queue's reader is falling asleep does not wake it.
const (
	marks     = 100
	nextAfter = 10 * time.Millisecond
)

// flush empties the queue, which only its end does. But Close of zerolog's diode
// (v1.35.1) can leave lines behind: a reader that found the queue empty asks whether it
// was closed, and does not look again for what came between. So the end waits until a
// mark behind the last line has arrived. Should none (a reader may stop before a place
// that two writers have fought for, until the queue has gone round once more), the lines
// that are left are lost, and count as such.
func (l *zerologLogger) flush() error {
	if l.queue == nil {
		return nil
	}
	for reached, sent := false, 0; !reached && sent < marks; sent++ {
		if _, err := l.queue.Write(nil); err != nil {
			return err
		}
		select {
		case <-l.out.reached:
			reached = true
		case <-time.After(nextAfter):
		}
	}
	err := l.queue.Close()
	select {
	case <-l.out.reached: // of a second mark
	default:
	}
	l.start()
	return err
}

func (l *zerologLogger) effective() map[string]string {
	m := map[string]string{"mode": "sync", "layout": "JSON: level, time (in seconds), message"}
	maps.Copy(m, goproc.Versions(zerologModule))
	if l.queue != nil {
		m["mode"] = "async: diode; a full queue overwrites lines"
		m["queue"] = strconv.Itoa(l.size)
	}
	return m
}
