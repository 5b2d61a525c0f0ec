package plan

import (
	"iter"
	"math/rand/v2"
)

// The orders of runs.
const (
	grouped     = "grouped"
	interleaved = "interleaved"
	random      = "random"
)

// maxShuffled bounds the runs that are shuffled, which takes memory for each.
const maxShuffled = 1 << 26

// ordering is what two tests must have in common to be ordered together.
type ordering struct {
	Methodology string
	Order       string
	Seed        int64
}

func (t *testPlan) order() ordering {
	if m := t.Methodology; m != nil {
		return ordering{m.Name, m.Order, m.Seed}
	}
	return ordering{Order: grouped}
}

// group is the tests of one methodology, which are ordered together.
type group struct {
	ordering
	tests []*testPlan
}

func (p *Plan) groups() []*group {
	var gs []*group
next:
	for _, t := range p.tests {
		for _, g := range gs {
			if g.ordering == t.order() {
				g.tests = append(g.tests, t)
				continue next
			}
		}
		gs = append(gs, &group{t.order(), []*testPlan{t}})
	}
	return gs
}

// Order yields every run once, with its position from 0. Tests of one
// methodology are ordered together, by it:
//
//   - grouped: all runs of a cell follow each other.
//   - interleaved: rounds over all cells, one run of each; every second round
//     goes backwards, so that a linear drift cancels (ABBA).
//   - random: all runs shuffled, by a PCG generator with the methodology's
//     seed. The runs of a cell are numbered as they come.
//
// The order is the same each time.
func (p *Plan) Order() iter.Seq2[int, RunID] {
	return func(yield func(int, RunID) bool) {
		position := 0
		for _, g := range p.groups() {
			for run := range g.order() {
				if !yield(position, run) {
					return
				}
				position++
			}
		}
	}
}

func (g *group) order() iter.Seq[RunID] {
	switch g.Order {
	case interleaved:
		return g.interleaved
	case random:
		return g.random
	}
	return g.grouped
}

func (g *group) grouped(yield func(RunID) bool) {
	for i := range g.slots() {
		s := g.slot(i)
		for r := range s.runs {
			if !yield(s.run(r)) {
				return
			}
		}
	}
}

func (g *group) interleaved(yield func(RunID) bool) {
	rounds, slots := 0, g.slots()
	for _, t := range g.tests {
		rounds = max(rounds, t.runs)
	}
	for r := range rounds {
		for i := range slots {
			if r%2 == 1 {
				i = slots - 1 - i
			}
			if s := g.slot(i); r < s.runs && !yield(s.run(r)) {
				return
			}
		}
	}
}

// slot is what has runs in the order: a cell, or the twin of one.
type slot struct {
	cell  int // in the plan
	first int // number of its first run
	runs  int
}

func (s slot) run(r int) RunID { return RunID{s.cell, s.first + r} }

// slots is the number of slots of the group: all cells, then all twins.
func (g *group) slots() int {
	n := 0
	for _, t := range g.tests {
		n += t.cells + len(t.twins)
	}
	return n
}

func (g *group) slot(i int) slot {
	for _, t := range g.tests {
		if i < t.cells {
			return slot{t.first + i, 0, t.runs}
		}
		i -= t.cells
	}
	for _, t := range g.tests {
		if i < len(t.twins) {
			return slot{t.twins[i], t.runs, t.runs}
		}
		i -= len(t.twins)
	}
	panic("plan: no such slot in the group")
}

func (g *group) random(yield func(RunID) bool) {
	var deck []uint32 // the slot of each run; a plan to shuffle has fewer than 2^32
	for i := range g.slots() {
		for range g.slot(i).runs {
			deck = append(deck, uint32(i))
		}
	}
	rng := rand.New(rand.NewPCG(uint64(g.Seed), 0))
	rng.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
	numbers := map[uint32]int{}
	for _, i := range deck {
		if !yield(g.slot(int(i)).run(numbers[i])) {
			return
		}
		numbers[i]++
	}
}
