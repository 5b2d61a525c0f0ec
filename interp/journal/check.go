package journal

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"
)

// Limits of a record.
const (
	maxCell   = 64 << 10 // bytes of a cell's key
	maxError  = 64 << 10 // bytes of an error
	maxRoles  = 64
	maxShards = 10_000

	maxChanged = 64      // settings that changed
	maxChange  = 4 << 10 // bytes of such a change
)

// Check returns why the record is not sound, or nil. Append and Read refuse
// a record that is not: numbers must be finite and not negative where they are
// times and counts, an OK run has results, any other says why.
func (r *Run) Check() error {
	switch {
	case r.Cell == "" || len(r.Cell) > maxCell || !utf8.ValidString(r.Cell):
		return fmt.Errorf("the key of the cell is empty, longer than %d bytes, or not UTF-8", maxCell)
	case r.Run < 0 || r.Order < 0:
		return fmt.Errorf("run %d at position %d of the order: both count from 0", r.Run, r.Order)
	case !isTime(r.Setup) || !isTime(r.Total):
		return fmt.Errorf("times of %v s and %v s are impossible", r.Setup, r.Total)
	case r.Machine != "" && !isMachineName(r.Machine):
		return fmt.Errorf("the name of the machine is not printable, or longer than %d bytes", maxMachineName)
	case len(r.Error) > maxError:
		return fmt.Errorf("the error has %d bytes; the limit is %d", len(r.Error), maxError)
	case len(r.Roles) > 0 && len(r.Values) > 0:
		return errors.New("a run has either roles or replayed values, not both")
	case len(r.Roles) > maxRoles:
		return fmt.Errorf("the run has %d roles; the limit is %d", len(r.Roles), maxRoles)
	}
	if err := errors.Join(r.checkStatus(), r.checkLinks(), r.Conditions.check()); err != nil {
		return err
	}
	for name, v := range r.Values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("the value of %s is %v; it must be a finite number", name, v)
		}
	}
	return r.checkRoles()
}

// checkLinks checks that links are given with what can be.
func (r *Run) checkLinks() error {
	for name, l := range r.Links {
		if l == nil {
			return fmt.Errorf("link %q is empty", name)
		}
		counts := slices.Concat(l.Full[:], []int64{int64(l.Probes[0]), int64(l.Probes[1])})
		values := slices.Concat(l.Rate[:], l.Jitter[:], l.Loss[:])
		values = append(values, l.RoundTrip)
		if l.Relay != nil {
			counts = slices.Concat(counts, l.Relay.Passed[:], l.Relay.Lost[:], l.Relay.Dropped[:])
			values = append(values, l.Relay.LateMean, l.Relay.LateMax, l.Relay.CPU)
		}
		if slices.Min(counts) < 0 || slices.ContainsFunc(values, func(v float64) bool { return !isTime(v) }) {
			return fmt.Errorf("link %q has a number that is below 0 or not finite", name)
		}
	}
	return nil
}

// check returns why the conditions are not sound, or nil; there may be none.
func (c *Conditions) check() error {
	if c == nil {
		return nil
	}
	for _, x := range []float64{c.Others, c.Stolen, c.Throttled} {
		// Linux counts in steps, of several CPUs, so that a share may be a little
		// below 0 or above 1.
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("conditions of %v are no numbers", x)
		}
	}
	if len(c.Changed) > maxChanged || slices.ContainsFunc(c.Changed, func(s string) bool { return len(s) > maxChange || !utf8.ValidString(s) }) {
		return fmt.Errorf("more than %d settings changed, or one has more than %d bytes, or is not UTF-8", maxChanged, maxChange)
	}
	return nil
}

// checkStatus checks what goes with the status.
func (r *Run) checkStatus() error {
	switch r.Status {
	case OK:
		if r.Error != "" {
			return fmt.Errorf("the run is ok, but has an error: %s", r.Error)
		}
	case Failed, Skipped:
		if r.Error == "" {
			return fmt.Errorf("the run is %s, but nothing says why", r.Status)
		}
	default:
		return fmt.Errorf("unknown status %q", r.Status)
	}
	return nil
}

// checkRoles checks the results of the roles.
func (r *Run) checkRoles() error {
	for name, role := range r.Roles {
		switch {
		case role == nil:
			return fmt.Errorf("role %q is empty", name)
		case role.Result == nil && r.Status == OK:
			return fmt.Errorf("role %q has no result", name)
		case role.Result == nil:
			continue
		}
		if err := role.Result.Validate(); err != nil {
			return fmt.Errorf("role %q: %w", name, err)
		}
	}
	return nil
}

// isTime reports whether v can be a length of time.
func isTime(v float64) bool { return v >= 0 && !math.IsInf(v, 1) }

// check returns why the header is not one that this program can read.
func (h *Header) check() error {
	switch {
	case h.Format < 1 || h.Format > Format:
		return fmt.Errorf("the format is %d; this program reads the formats 1 to %d", h.Format, Format)
	case h.Fingerprint == "":
		return errors.New("the fingerprint of the methodology is missing")
	case h.Cells < 0 || h.Runs < 0:
		return fmt.Errorf("%d cells and %d runs are impossible", h.Cells, h.Runs)
	}
	if s := h.Shard; s != nil && (s.Number < 1 || s.Number > s.Of || s.Of > maxShards || s.Cells < 0 || s.Cells > h.Cells || s.Runs < 0 || s.Runs > h.Runs) {
		return fmt.Errorf("shard %s with %d cells and %d runs is impossible in a plan of %d cells and %d runs", s, s.Cells, s.Runs, h.Cells, h.Runs)
	}
	return nil
}
