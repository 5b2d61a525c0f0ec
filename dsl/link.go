package dsl

import (
	"fmt"
	"slices"
	"strings"

	"versus/stdlib/units"
)

func (l *loader) link(n *node) *Link {
	k := &Link{
		Name: n.name(), Rate: l.num(n, "rate"), Delay: l.num(n, "delay"),
		Jitter: l.num(n, "jitter"), Loss: l.num(n, "loss"), Via: l.str(n, "via"), Range: n.rng,
	}
	if a := n.attr("between"); a != nil {
		v := l.value(a)
		if v.IsWhollyKnown() && !v.IsNull() && v.CanIterateElements() {
			for it := v.ElementIterator(); it.Next(); {
				_, e := it.Element()
				if name, ok := HostName(e); ok {
					k.Between = append(k.Between, name)
				}
			}
		}
		if (len(k.Between) != 2 || k.Between[0] == k.Between[1]) && v.IsWhollyKnown() {
			rng := a.expr.Range()
			l.fail(&rng, "Invalid value of between", "Write two hosts: [host.near, host.far].")
		}
	}
	if k.Jitter > k.Delay {
		rng := n.attr("jitter").expr.Range()
		l.fail(&rng, "Invalid value of jitter", "Jitter makes the delay vary up and down: at most by the delay itself, %g s.", k.Delay)
	}
	if n.attr("rate") == nil && n.attr("loss") == nil && n.attr("via") == nil && k.Delay == 0 {
		l.fail(&k.Range, "A link without limits", "Give link %q a rate, a delay or a loss, or leave it out: hosts reach each other without links, as fast as the machine goes.", k.Name)
	}
	return k
}

// Terms says in words what the link does: "56kbit/s, delay 50ms +-5ms, loss 1%".
func (l *Link) Terms() string {
	var terms []string
	if l.Rate > 0 {
		terms = append(terms, units.FormatBandwidth(l.Rate))
	}
	if l.Delay > 0 {
		delay := "delay " + units.FormatDuration(l.Delay)
		if l.Jitter > 0 {
			delay += " +-" + units.FormatDuration(l.Jitter)
		}
		terms = append(terms, delay)
	}
	if l.Loss > 0 {
		terms = append(terms, fmt.Sprintf("loss %.4g%%", 100*l.Loss))
	}
	if l.Via != "" {
		terms = append(terms, "via "+l.Via)
	}
	if terms == nil {
		return "no limits"
	}
	return strings.Join(terms, ", ")
}

// checkLinks reports links that nothing can make.
func (l *loader) checkLinks(s *Scenario) {
	seen := map[[2]string]string{}
	for _, k := range s.Links {
		if len(k.Between) != 2 {
			continue
		}
		for _, name := range k.Between {
			i := slices.IndexFunc(s.Hosts, func(h *Host) bool { return h.Name == name })
			if i >= 0 && s.Hosts[i].Kind != "netns" {
				l.fail(&k.Range, "No such link", "Host %q is not a network namespace: what passes between other hosts is not versus's to limit. Write host \"netns\" %q.", name, name)
			}
		}
		ends := [2]string{min(k.Between[0], k.Between[1]), max(k.Between[0], k.Between[1])}
		if other := seen[ends]; other != "" {
			l.fail(&k.Range, "Two links in one place", "Link %q is between the same hosts as link %q.", k.Name, other)
		}
		seen[ends] = k.Name
	}
}
