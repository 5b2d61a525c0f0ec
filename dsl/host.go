package dsl

import (
	"fmt"
	"net"
	"strconv"
	"strings"
)

// Priority is how the processes of a host are scheduled.
type Priority struct {
	Nice     *int `json:"nice,omitempty"`     // -20 to 19; nil: as versus is
	Realtime int  `json:"realtime,omitempty"` // SCHED_FIFO with this priority, 1 to 99; 0: not so
}

// String is how a person says it: "nice -5", "realtime 10", "the usual priority".
func (p Priority) String() string {
	switch {
	case p.Realtime > 0:
		return fmt.Sprint("realtime ", p.Realtime)
	case p.Nice != nil:
		return fmt.Sprint("nice ", *p.Nice)
	}
	return "the usual priority"
}

func (l *loader) host(n *node) *Host {
	h := &Host{Kind: n.labels[0], Name: n.name(), Title: l.str(n, "title"), Environment: map[string]string{}, Range: n.rng}
	if h.Title == "" {
		h.Title = h.Name
	}
	l.reach(n, h)
	if text := l.str(n, "cpus"); text != "" {
		cpus, err := CPUList(text)
		if err != nil {
			rng := n.attr("cpus").expr.Range()
			l.fail(&rng, "Invalid value of cpus", "%s", sentence(err))
		}
		h.CPUs = cpus
	}
	// The environment is not written to the journal: here a sensitive value may stand.
	if a := n.attr("environment"); a != nil {
		v, _ := l.value(a).UnmarkDeep()
		if v.IsWhollyKnown() && !v.IsNull() && (v.Type().IsObjectType() || v.Type().IsMapType()) {
			for it := v.ElementIterator(); it.Next(); {
				k, e := it.Element()
				h.Environment[k.AsString()] = Label(e)
			}
		}
	}
	if nice, ok := l.get(n, "nice").(float64); ok {
		h.Priority.Nice = new(int)
		*h.Priority.Nice = int(nice)
	}
	h.Priority.Realtime = int(l.num(n, "realtime"))
	h.Require = l.require(n)
	return h
}

// reach reads how a host is reached.
func (l *loader) reach(n *node, h *Host) {
	h.Listen, h.Address, h.Program = l.str(n, "listen"), l.str(n, "address"), l.str(n, "program")
	h.Options, h.Command = l.words(n, "options"), l.words(n, "command")
	if h.Listen != "" {
		if ip := net.ParseIP(h.Listen); ip == nil || ip.IsUnspecified() {
			rng := n.attr("listen").expr.Range()
			l.fail(&rng, "Invalid value of listen", "%q is not an IP address at which others reach the host.", h.Listen)
		}
	}
	if a := n.attr("command"); a != nil && len(h.Command) == 0 && l.value(a).IsWhollyKnown() {
		rng := a.expr.Range()
		l.fail(&rng, "Invalid value of command", "Write the command and its arguments: [\"srun\", \"--nodelist=a\"].")
	}
}

// words evaluates a list of texts.
func (l *loader) words(n *node, name string) (words []string) {
	for _, v := range l.list(n, name) {
		s, ok := v.(string)
		if !ok || strings.ContainsRune(s, 0) {
			rng := n.attr(name).expr.Range()
			l.fail(&rng, "Invalid value of "+name, "It is a list of texts in quotes.")
			return nil
		}
		words = append(words, s)
	}
	return words
}

// CPUList reads the numbers of CPUs, as in "0-3,6": a scenario has them in the same
// words as Linux. They are sorted, each is there once, and none is above 4095.
func CPUList(text string) ([]int, error) {
	const most = 4095
	var listed [most + 1]bool
	for part := range strings.SplitSeq(text, ",") {
		from, to, isRange := strings.Cut(strings.TrimSpace(part), "-")
		a, err1 := strconv.Atoi(from)
		b := a
		var err2 error
		if isRange {
			b, err2 = strconv.Atoi(to)
		}
		if err1 != nil || err2 != nil || a < 0 || b < a || b > most {
			return nil, fmt.Errorf("%q is no list of CPUs; write it as \"0-3,6\"", text)
		}
		for c := a; c <= b; c++ {
			listed[c] = true
		}
	}
	var cpus []int
	for c, is := range listed {
		if is {
			cpus = append(cpus, c)
		}
	}
	return cpus, nil
}
