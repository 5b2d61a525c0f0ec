package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"

	"versus/interp/journal"
	"versus/interp/report"
	"versus/interp/run"
	"versus/stdlib/units"
)

// barWidth is the greatest length of the progress bar, in columns; it is at most
// a fifth of the line, since the count and the time left say more.
const barWidth = 20

// progress says on the error stream how the work goes: on a terminal one line
// that is written over, with a bar, the time left and the latest mean latency
// of each backend; elsewhere one line a run. Failed runs and warnings stay.
type progress struct {
	a        *app
	quiet    bool
	width    func() int // of the terminal; 0 if lines can't be written over
	open     bool
	backends []string           // in order of their first figure
	latest   map[string]float64 // mean latency of the last run, seconds
}

func newProgress(a *app, quiet bool) *progress {
	p := &progress{a: a, quiet: quiet, latest: map[string]float64{}, width: func() int { return a.width(a.err) }}
	if !rewritable(os.Getenv) {
		p.width = func() int { return 0 }
	}
	return p
}

// rewritable says whether a terminal can go back to the start of a line and
// clear it: a dumb one can't, and the log of a build is no terminal even where
// the build has one.
func rewritable(getenv func(string) string) bool {
	ci := getenv("CI")
	return getenv("TERM") != "dumb" && (ci == "" || ci == "0" || ci == "false")
}

func (p *progress) event(e run.Event) {
	if p.quiet {
		return
	}
	// Asked each time: the terminal may be resized.
	width := p.width()
	switch e := e.(type) {
	case run.Measuring:
		text := "measuring link " + e.Link
		if width == 0 {
			p.line(text)
			return
		}
		p.over(text, width)
	case run.Started:
		if width > 0 {
			p.over(fmt.Sprintf("%s%d/%d%s%s  %s", bar(e.Number-1, e.Total, width), e.Number, e.Total, left(e.Left), p.figures(), e.Cell), width)
		}
	case run.Finished:
		if e.Latency > 0 {
			if !slices.Contains(p.backends, e.Backend) {
				p.backends = append(p.backends, e.Backend)
			}
			p.latest[e.Backend] = e.Latency
		}
		switch {
		case e.Status != journal.OK:
			p.line(fmt.Sprintf("[%d/%d] %s run %d %s: %s", e.Number, e.Total, e.Cell, e.Run+1, e.Status, e.Error))
		case width == 0 && e.Took > 0:
			p.line(fmt.Sprintf("[%d/%d] %s run %d: %.2f s%s", e.Number, e.Total, e.Cell, e.Run+1, e.Took, left(e.Left)))
		}
	case run.Warning:
		p.line("warning: " + e.Text)
	}
}

// bar is the progress bar in a line so wide, with a blank after it.
func bar(done, total, width int) string {
	length := min(barWidth, width/5)
	full := 0
	if total > 0 {
		full = length * done / total
	}
	if length == 0 {
		return ""
	}
	return strings.Repeat("█", full) + strings.Repeat("░", length-full) + " "
}

// left is the time left in words, nothing while it is unknown.
func left(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return fmt.Sprintf(", %s left", d.Round(time.Second))
}

// figures are the latest mean latencies of the backends.
func (p *progress) figures() string {
	var parts []string
	for _, b := range p.backends {
		parts = append(parts, b+" "+units.FormatDuration(p.latest[b]))
	}
	if len(parts) == 0 {
		return ""
	}
	return " | " + strings.Join(parts, ", ")
}

// over writes a line over the last one, cut to the width of the terminal.
func (p *progress) over(text string, width int) {
	fmt.Fprintf(p.a.err, "\r\x1b[K%s", runewidth.Truncate(report.Printable(text), max(width-1, 1), ""))
	p.open = true
}

// line writes a line that stays.
func (p *progress) line(text string) {
	if p.quiet {
		return
	}
	p.end()
	fmt.Fprintln(p.a.err, report.Printable(text))
}

// end clears a line that was to be written over.
func (p *progress) end() {
	if p.open {
		fmt.Fprint(p.a.err, "\r\x1b[K")
		p.open = false
	}
}
