package machine

import (
	"fmt"
	"slices"
	"strings"
)

// Limits from which measured noise is a warning, and interrupts a note.
const (
	loudOthers     = 0.10    // CPUs that others keep busy
	loudStolen     = 0.01    // share of the time of one CPU
	loudStopped    = 1e-3    // seconds
	loudPart       = 0.01    // share of the time of one CPU
	loudLate       = 1e-3    // seconds
	manyInterrupts = 10_000. // per second, on one CPU
)

// Findings are what the measured noise means.
func (n Noise) Findings() []Finding {
	var out []Finding
	add := func(topic string, fs []Finding) {
		for _, f := range fs {
			f.Topic = topic
			out = append(out, f)
		}
	}
	add("other processes", n.others())
	if len(n.CPUs) == 0 {
		return out
	}
	add("stolen time", n.stolen())
	add("interrupts", n.interrupts())
	if failed := slices.IndexFunc(n.CPUs, func(c CPUNoise) bool { return c.Error != "" }); failed >= 0 {
		c := n.CPUs[failed]
		add("stopped threads", unknown("How evenly a thread runs on CPU %d could not be measured: %s.", c.CPU, c.Error))
		return out
	}
	add("stopped threads", n.stopped())
	add("late timers", n.late())
	return out
}

func (n Noise) others() []Finding {
	var names []string
	for _, p := range n.Processes {
		names = append(names, fmt.Sprintf("%s (%d) %.0f%% of one", p.Name, p.PID, p.CPU*100))
	}
	if n.Others < loudOthers {
		return fine("Other processes kept %.2g CPUs busy in %.2g s.", n.Others, n.Watched)
	}
	text := fmt.Sprintf("Other processes kept %.2g CPUs busy in %.2g s", n.Others, n.Watched)
	if len(names) > 0 {
		text += "; those that still run: " + strings.Join(names, ", ")
	}
	return found(Warning, text+".",
		"They take CPUs and caches from the systems that are measured: tails grow, and runs differ.", "Stop what need not run.")
}

// worst returns the CPU for which f is largest, of those where it was measured.
func (n Noise) worst(f func(CPUNoise) float64) (worst CPUNoise) {
	for i, c := range n.CPUs {
		if i == 0 || f(c) > f(worst) {
			worst = c
		}
	}
	return worst
}

func (n Noise) stolen() []Finding {
	c := n.worst(func(c CPUNoise) float64 { return c.Stolen })
	if c.Stolen < loudStolen {
		return fine("No host took CPU time from this machine meanwhile.")
	}
	return found(Warning, fmt.Sprintf("The host of this virtual machine took up to %.0f%% of the time of a CPU (CPU %d).", c.Stolen*100, c.CPU),
		"Everything stands still meanwhile, and nothing here shows why.", "Take a machine of your own, or measure when its neighbours are quiet.")
}

func (n Noise) interrupts() []Finding {
	c := n.worst(func(c CPUNoise) float64 { return c.Interrupts })
	if c.Interrupts < manyInterrupts {
		return fine("CPUs served up to %.0f interrupts a second (CPU %d; most: %s).", c.Interrupts, c.CPU, c.Source)
	}
	return found(Note, fmt.Sprintf("CPU %d served %.0f interrupts a second (most: %s).", c.CPU, c.Interrupts, c.Source),
		"What runs there is stopped for each.", "Bind the hosts of a scenario to other CPUs, or the interrupts to others: /proc/irq/N/smp_affinity_list.")
}

func (n Noise) stopped() []Finding {
	long, much := n.worst(func(c CPUNoise) float64 { return c.Stopped }), n.worst(func(c CPUNoise) float64 { return c.StoppedPart })
	text := fmt.Sprintf("A thread that did nothing but run was stopped for up to %s (CPU %d), and for %.2g%% of the time (CPU %d)",
		micros(long.Stopped), long.CPU, much.StoppedPart*100, much.CPU)
	if long.Stopped < loudStopped && much.StoppedPart < loudPart {
		return fine("%s.", text)
	}
	return found(Warning, text+".", "So is whatever is measured: no tail below that says anything about a system.",
		"Stop what need not run; on a virtual machine its host may be the reason.")
}

func (n Noise) late() []Finding {
	c := n.worst(func(c CPUNoise) float64 { return c.LateWorst })
	text := fmt.Sprintf("A thread that slept woke up %s late (median), and up to %s (CPU %d)", micros(c.LateMedian), micros(c.LateWorst), c.CPU)
	if c.LateWorst < loudLate {
		return fine("%s.", text)
	}
	return found(Warning, text+".", "What is to be sent at a rate is sent that late, and a system that waits for messages gets them that late.",
		"Stop what need not run; on a machine of your own, shallow idle states help.")
}

// micros writes a time for people, in microseconds.
func micros(seconds float64) string { return fmt.Sprintf("%.0f us", seconds*1e6) }
