package worker

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"versus/drivers"
	"versus/drivers/protocol"
)

// load is what an active role does: it runs once to warm up and once for the
// window.
type load interface {
	// run generates load for the extent and returns when the last call was
	// answered. What an earlier run recorded is forgotten.
	run(x drivers.Extent, measured bool) error
	// report writes what the last run recorded.
	report(*protocol.Result) error
	// halt ends the present run and all later ones early. It may be called by
	// another goroutine.
	halt()
	// close frees what the load holds. It is called when nothing runs any more.
	close()
}

// Limits of waiting at the end of a run.
const (
	// drain is how long calls that were due in the window may still be sent
	// after it has ended, in an open loop that is behind its schedule.
	drain = 2 * time.Second
	// patience is how long calls that were sent may stay unanswered after that.
	patience = 10 * time.Second
)

var errHalted = errors.New("stopped early")

// crew runs goroutines that may fail or panic.
type crew struct {
	wg   sync.WaitGroup
	once sync.Once
	err  error  // the first failure
	stop func() // called once, on the first failure
}

// start runs f in a goroutine of its own.
func (c *crew) start(f func() error) {
	c.wg.Go(func() {
		if err := guard(f); err != nil {
			c.once.Do(func() {
				c.err = err
				c.stop()
			})
		}
	})
}

// wait waits for all goroutines and returns the first failure. It ends them
// when a deadline, on the monotonic clock, has passed; 0 is none.
func (c *crew) wait(deadline int64) error {
	done := make(chan struct{})
	go func() {
		c.wg.Wait()
		close(done)
	}()
	if deadline != 0 {
		select {
		case <-done:
			return c.err
		case <-time.After(time.Duration(deadline - now())):
		}
		c.stop()
		select {
		case <-done:
			return c.err
		case <-time.After(patience):
			return fmt.Errorf("a call got no answer within %v after the end of the window", drain+patience)
		}
	}
	<-done
	return c.err
}

// guard calls f and turns a panic into an error. The stack goes to standard error.
func guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(os.Stderr, "panic: %v\n%s", p, debug.Stack())
			err = fmt.Errorf("the worker panicked: %v", p)
		}
	}()
	return f()
}

// share returns part i of n when total is shared out evenly.
func share(total int64, i, n int) int64 {
	part := total / int64(n)
	if int64(i) < total%int64(n) {
		part++
	}
	return part
}

// reportUnsent adds the slots of a schedule that were never sent. They have no
// latency; without this remark the schedule would look kept.
func reportUnsent(r *protocol.Result, n int64) {
	if n == 0 {
		return
	}
	if r.Errors == nil {
		r.Errors = map[string]int64{}
	}
	r.Errors[kindUnsent] += n
	r.Flags = append(r.Flags, fmt.Sprintf("overload: %d messages that were due in the window had not been sent %v after its end", n, drain))
}
