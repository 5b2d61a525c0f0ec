package analyze

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"versus/dsl"
	"versus/interp/journal"
	"versus/stdlib/units"
)

// LinkChanges says of which links delay, jitter and loss were made in another way
// in the runs of another result: "link slow: made by netem -> relay". It is no
// methodology, but then results don't compare.
func LinkChanges(old, new []journal.Run) []string {
	before, after := linkMakers(old), linkMakers(new)
	var changes []string
	for _, name := range slices.Sorted(maps.Keys(before)) {
		was, is := before[name], after[name]
		if is != "" && is != was {
			changes = append(changes, fmt.Sprintf("link %s: made by %s -> %s", name, was, is))
		}
	}
	return changes
}

// linkMakers says what made each link, by its name.
func linkMakers(runs []journal.Run) map[string]string {
	used := map[string][]*journal.Link{}
	for _, r := range runs {
		for name, l := range r.Links {
			if l != nil && r.Status == journal.OK {
				used[name] = append(used[name], l)
			}
		}
	}
	made := map[string]string{}
	for name, links := range used {
		var vias []string
		for _, via := range viasOf(links) {
			vias = append(vias, viaName(via))
		}
		made[name] = strings.Join(vias, " and ")
	}
	return made
}

// linkRemarks say what the links of a cell were, and where one was not what was
// asked for while it was used.
func (c *Cell) linkRemarks() []Remark {
	var rs []Remark
	for _, asked := range c.Plan.Links {
		var used []*journal.Link
		for _, r := range c.Valid {
			if l := r.Links[asked.Name]; l != nil {
				used = append(used, l)
			}
		}
		if len(used) == 0 {
			continue
		}
		// A link is measured anew after a run that failed, and in each invocation.
		times := map[string]int{}
		for _, l := range used {
			times[cmp.Or(makers[l.Via], "was made by "+l.Via)+"; measured: "+measuredLink(l)]++
		}
		for _, was := range slices.Sorted(maps.Keys(times)) {
			rs = append(rs, Remark{false, fmt.Sprintf("link %s (%s) %s", asked.Name, asked.Terms(), was), plural(times[was], "run")})
		}
		rs = append(rs, linkFaults(asked, used)...)
	}
	return rs
}

// makers says what adds delay, jitter and loss.
var makers = map[string]string{
	"":           "was made by the kernel, which limits its rate",
	dsl.ViaNetem: "was made by netem of the kernel",
	dsl.ViaRelay: "was made by the relay, a process of versus",
}

// viaName is what makes a link, in a word: nothing but its rate needs no help.
func viaName(via string) string { return cmp.Or(via, "tbf alone") }

// viasOf are the makers of links, sorted.
func viasOf(links []*journal.Link) []string {
	vias := map[string]bool{}
	for _, l := range links {
		vias[l.Via] = true
	}
	return slices.Sorted(maps.Keys(vias))
}

// measuredLink says what a link was when it was measured.
func measuredLink(l *journal.Link) string {
	pair := func(format func(float64) string, v [2]float64) string {
		return format(v[0]) + " there and " + format(v[1]) + " back"
	}
	var parts []string
	if l.Rate != [2]float64{} {
		parts = append(parts, pair(units.FormatBandwidth, l.Rate))
	}
	parts = append(parts, "round trip "+units.FormatDuration(l.RoundTrip))
	if l.Jitter != [2]float64{} {
		parts = append(parts, "jitter "+pair(units.FormatDuration, l.Jitter))
	}
	if l.Loss != [2]float64{} {
		parts = append(parts, fmt.Sprintf("loss %s of %d probes there and %s of %d back",
			units.FormatPercent(l.Loss[0], 2), l.Probes[0], units.FormatPercent(l.Loss[1], 2), l.Probes[1]))
	}
	return strings.Join(parts, ", ")
}

// linkFaults are what became of frames that a link does not explain by itself.
func linkFaults(asked *dsl.Link, used []*journal.Link) []Remark {
	const tolerable, machine = 0.05, 100e-6 // as interp/host allows when it measures a link
	var full, dropped int64
	late, worst, runs := 0.0, 0.0, 0
	for _, l := range used {
		full += l.Full[0] + l.Full[1]
		if l.Relay == nil {
			continue
		}
		dropped += l.Relay.Dropped[0] + l.Relay.Dropped[1]
		if l.Relay.LateMean > tolerable*asked.Delay+machine {
			runs++
			late, worst = max(late, l.Relay.LateMean), max(worst, l.Relay.LateMax)
		}
	}
	var rs []Remark
	if full > 0 {
		rs = append(rs, Remark{false, fmt.Sprintf("frames found the queue of link %s full and were lost, as on a real one", asked.Name), fmt.Sprintf("%d in %s", full, plural(len(used), "run"))})
	}
	if dropped > 0 {
		rs = append(rs, Remark{true, fmt.Sprintf("the relay of link %s dropped frames that the link was not to lose: more were under way than it can hold", asked.Name), fmt.Sprintf("%d in %s", dropped, plural(len(used), "run"))})
	}
	if runs > 0 {
		rs = append(rs, Remark{true, fmt.Sprintf("the relay of link %s was late, so that its delay was off by more than 5%%: the machine has too much to do", asked.Name),
			fmt.Sprintf("by %s on average and %s at most, in %d of %d runs", units.FormatDuration(late), units.FormatDuration(worst), runs, len(used))})
	}
	return rs
}
