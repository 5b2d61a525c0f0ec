package worker

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"versus/drivers"
	"versus/drivers/protocol"
)

// Logger is a logger that is ready for lines.
type Logger interface {
	// Log logs the workload's line once. Several goroutines call it side by side.
	Log()
	// Flush returns when all lines logged so far have been handed to the sink.
	// Nobody logs meanwhile.
	Flush() error
	// Lines returns how many lines have arrived at the sink since it was last
	// called, or LinesUnknown. It is called after Flush, and costs nothing that
	// is measured.
	Lines() (int64, error)
}

// LinesUnknown is what Logger.Lines returns of a sink that keeps nothing to count.
const LinesUnknown = -1

// LoggerFunc opens a logger, for a role that is alone in its run. batch is the
// number of calls that a closed loop times together, at least 1: a call that
// takes not much longer than reading the clock can't be timed alone.
type LoggerFunc func(context.Context, Setup) (log Logger, batch int, ready Ready, close func() error, err error)

// KindLost is the kind of errors of lines that were logged but never arrived at the sink.
const KindLost = "lost"

// logLoad is a load of a logger: it has the lines flushed and counted.
type logLoad struct {
	load
	logger Logger
	flush  int64 // what the flush of the last run took, ns
}

func (l *logLoad) run(x drivers.Extent, measured bool) error {
	if err := l.load.run(x, measured); err != nil {
		return err
	}
	start := now()
	if err := l.logger.Flush(); err != nil {
		return fmt.Errorf("flushing the log: %w", err)
	}
	l.flush = now() - start
	if !measured {
		_, err := l.logger.Lines() // so that the window counts its own
		return err
	}
	return nil
}

// report also holds the calls against the lines that arrived. The window lasts
// until all have: a logger that only gathers lines isn't fast.
func (l *logLoad) report(r *protocol.Result) error {
	if err := l.load.report(r); err != nil {
		return err
	}
	r.Elapsed += seconds(l.flush)
	lines, err := l.logger.Lines()
	if err != nil {
		return fmt.Errorf("counting the lines: %w", err)
	}
	switch lost := r.Sent - lines; {
	case lines == LinesUnknown:
	case lost > 0:
		if r.Errors == nil {
			r.Errors = map[string]int64{}
		}
		r.Errors[KindLost] += lost
		r.Flags = append(r.Flags, fmt.Sprintf("error %s: %d of %d lines never arrived", KindLost, lost, r.Sent))
	case lost < 0:
		return fmt.Errorf("%d lines arrived, but only %d were logged", lines, r.Sent)
	}
	return nil
}

// log prepares the load of a logger.
func (s *session) log(logger Logger, batch int) error {
	if batch < 1 {
		return fmt.Errorf("the driver times %d calls together; at least 1 is needed", batch)
	}
	n := max(s.workload.Concurrency, 1)
	if s.workload.Rate == 0 {
		s.load = &logLoad{load: newLogLoop(logger, n, batch), logger: logger}
		return nil
	}
	callers := make([]Caller, n)
	for i := range callers {
		callers[i] = logCaller{logger}
	}
	l, err := newOpenLoop(callers, n, s.workload.Rate)
	if err != nil {
		return err
	}
	s.load = &logLoad{load: l, logger: logger}
	return nil
}

// logCaller makes a call of a line, for an open loop.
type logCaller struct{ logger Logger }

func (c logCaller) Call() error {
	c.logger.Log()
	return nil
}

// logLoop has each caller log one line after the other, and times batches of
// them: each time recorded is the mean of a batch.
type logLoop struct {
	callers []*logLine
	batch   int64
	stopped atomic.Bool // for this run
	halted  atomic.Bool // for all runs
}

// logLine is one caller.
type logLine struct {
	logger     Logger
	batch      int64
	latency    *recorder
	windows    *windows
	byCall     bool // windows are cut by calls, not by time
	sent       int64
	start, end int64
}

func newLogLoop(logger Logger, n, batch int) *logLoop {
	l := &logLoop{batch: int64(batch)}
	for range n {
		l.callers = append(l.callers, &logLine{logger: logger, batch: l.batch, latency: newRecorder(n), windows: newWindows()})
	}
	return l
}

func (l *logLoop) run(x drivers.Extent, measured bool) error {
	crew := crew{stop: func() { l.stopped.Store(true) }}
	l.stopped.Store(false)
	if l.halted.Load() {
		return errHalted
	}
	cut := windowsIn(x, len(l.callers)*int(l.batch))
	start, deadline, last := now(), int64(math.MaxInt64), int64(0)
	if x.Calls == 0 {
		deadline = start + int64(x.Seconds*1e9)
		last = deadline + int64(drain)
	}
	gate := make(chan struct{})
	for i, c := range l.callers {
		calls := int64(math.MaxInt64)
		c.byCall = x.Calls > 0
		if c.byCall {
			calls = share(x.Calls, i, len(l.callers))
			c.windows.begin(cut, 0, float64(calls))
		} else {
			c.windows.begin(cut, start, x.Seconds*1e9)
		}
		c.latency.reset()
		c.sent = 0
		crew.start(func() error {
			<-gate
			c.loop(deadline, calls, &l.stopped)
			return nil
		})
	}
	close(gate)
	if err := crew.wait(last); err != nil {
		return err
	}
	if l.halted.Load() {
		return errHalted
	}
	return nil
}

// loop logs until the deadline or the number of calls is reached. The end of
// one batch is the start of the next. What a batch takes is not always a
// multiple of its calls: the rest goes to the next one, so that the sum of all
// times is exact to a nanosecond. A last batch that isn't full is in no
// latency, it would weigh too much.
func (c *logLine) loop(deadline, calls int64, stopped *atomic.Bool) {
	t := now()
	c.start, c.end = t, t
	rest := int64(0)
	for c.sent < calls && t < deadline && !stopped.Load() {
		n := min(c.batch, calls-c.sent)
		for range n {
			c.logger.Log()
		}
		end := now()
		if n == c.batch {
			rest += end - t
			each := rest / n
			rest -= each * n
			c.latency.record(each)
			if c.byCall {
				c.windows.record(c.sent, each)
			} else {
				c.windows.record(t, each)
			}
		}
		c.sent += n
		t = end
	}
	c.end = t
}

func (l *logLoop) report(r *protocol.Result) (err error) {
	start, end := int64(math.MaxInt64), int64(0)
	recorders, ws := make([]*recorder, len(l.callers)), make([]*windows, len(l.callers))
	for i, c := range l.callers {
		recorders[i], ws[i] = c.latency, c.windows
		r.Sent += c.sent
		start, end = min(start, c.start), max(end, c.end)
	}
	r.Received = r.Sent
	r.Elapsed = time.Duration(end - start).Seconds()
	r.Windows = addWindows(ws...)
	if r.Latency, err = distribution(recorders...); err != nil {
		return err
	}
	if r.Latency == nil {
		return fmt.Errorf("no caller made %d calls, which are timed together: measure longer, or time fewer together", l.batch)
	}
	each := float64(r.Latency.Sum) / float64(r.Latency.Count)
	if text := tooShort(each, l.batch, clockCost()); text != "" {
		r.Flags = append(r.Flags, text)
	}
	return nil
}

// clockShare is how many readings of the clock a time must last: one reading is
// then 5 % of it (Hoefler and Belli 2015, section 4.2.1).
const clockShare = 20

// tooShort remarks calls that were timed in batches too short for the clock.
// Each call took so many ns, and reading the clock takes clock ns.
func tooShort(each float64, batch int64, clock float64) string {
	took := each * float64(batch)
	if took >= clockShare*clock {
		return ""
	}
	return fmt.Sprintf("clock: %d calls timed together took %.0f ns, and reading the clock takes %.0f ns of that; time at least %.0f together",
		batch, took, clock, math.Ceil(clockShare*clock/max(each, 1)))
}

// clockCost returns what one reading of the clock takes, nanoseconds.
func clockCost() float64 {
	const readings = 1000
	best := int64(math.MaxInt64)
	for range 10 {
		start := now()
		for range readings {
			now()
		}
		best = min(best, now()-start)
	}
	return float64(best) / readings
}

func (l *logLoop) halt() {
	l.halted.Store(true)
	l.stopped.Store(true)
}

func (l *logLoop) close() {}
