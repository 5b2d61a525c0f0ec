package main

import (
	"fmt"
	"time"

	"versus/interp/journal"
	"versus/interp/run"
)

// progress says on the error stream how the work goes: a line that is written
// over on a terminal, one line a run elsewhere.
type progress struct {
	a     *app
	quiet bool
	width int // of the terminal, 0 if there is none
	open  bool
}

func newProgress(a *app, quiet bool) *progress {
	return &progress{a: a, quiet: quiet, width: a.width(a.err)}
}

func (p *progress) event(e run.Event) {
	switch e := e.(type) {
	case run.Started:
		if p.width > 0 {
			p.over(fmt.Sprintf("[%d/%d] %s run %d%s", e.Number, e.Total, e.Cell, e.Run+1, left(e.Left)))
		}
	case run.Finished:
		switch {
		case e.Status != journal.OK:
			p.line(fmt.Sprintf("[%d/%d] %s run %d %s: %s", e.Number, e.Position.Total, e.Cell, e.Run+1, e.Status, e.Error))
		case p.width == 0 && e.Total > 0:
			p.line(fmt.Sprintf("[%d/%d] %s run %d: %.2f s%s", e.Number, e.Position.Total, e.Cell, e.Run+1, e.Total, left(e.Left)))
		}
	case run.Warning:
		p.line("warning: " + e.Text)
	}
}

// left is the time left in words, nothing while it is unknown.
func left(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return fmt.Sprintf(", %s left", d.Round(time.Second))
}

// over writes a line over the last one.
func (p *progress) over(text string) {
	if p.quiet {
		return
	}
	if r := []rune(text); len(r) > p.width-1 && p.width > 1 {
		text = string(r[:p.width-1])
	}
	fmt.Fprintf(p.a.err, "\r\x1b[K%s", text)
	p.open = true
}

// line writes a line that stays.
func (p *progress) line(text string) {
	if p.quiet {
		return
	}
	p.end()
	fmt.Fprintln(p.a.err, text)
}

// end clears a line that was to be written over.
func (p *progress) end() {
	if p.open {
		fmt.Fprint(p.a.err, "\r\x1b[K")
		p.open = false
	}
}
