package plan

import (
	"cmp"
	"container/heap"
	"fmt"
	"iter"
	"math"
	"slices"
	"time"
)

// Limits of splitting.
const (
	// MaxShards is the largest number of shards of a plan.
	MaxShards = 10_000
	// maxSplit bounds the cells of a plan that is split: each is computed.
	maxSplit = 1_000_000
)

// Shard is a part of a plan that a machine measures by itself. Cells that a
// comparison pairs are in one shard, with all of their runs and twins, so that
// what is compared is measured on one machine, by turns. A shard may be empty.
type Shard struct {
	Number, Of int // from 1 to Of
	Cells      int
	// Bundles is how many sets of cells it has that had to stay together.
	Bundles int

	runs, unknown int
	ms, work      float64 // as in bundle
	plan          *Plan
	home          []uint16 // by cell of the plan: the number of its shard
}

// Split divides the plan into n shards, 1 <= n <= MaxShards, each cell in
// exactly one. The shards take about equally long: bundles are dealt out from
// the longest to the shortest, each to the shard with the least work so far
// (LPT; Graham 1969: the longest shard is at most 4/3 of what the best division
// would give). A run of which only the number of calls is known counts as long
// as the average run of the others. The same plan is split in the same way on
// every machine.
//
// The error says that the plan is too large, or is that of Cell.
func (p *Plan) Split(n int) ([]*Shard, error) {
	switch {
	case n < 1 || n > MaxShards:
		return nil, fmt.Errorf("a plan has 1 to %d shards, not %d", MaxShards, n)
	case p.cells > maxSplit:
		return nil, fmt.Errorf("the plan has %d cells; one of up to %d can be split: make several scenarios of it", p.cells, maxSplit)
	}
	bundles, err := p.bundles()
	if err != nil {
		return nil, err
	}
	home := make([]uint16, p.cells)
	shards := make([]*Shard, n)
	for i := range shards {
		shards[i] = &Shard{Number: i + 1, Of: n, plan: p, home: home}
	}
	leastFirst := byWork(slices.Clone(shards)) // a heap already: all are equal but for their numbers
	for _, b := range bundles {
		leastFirst[0].add(b)
		heap.Fix(leastFirst, 0)
	}
	return shards, nil
}

// add gives a bundle to a shard.
func (s *Shard) add(b *bundle) {
	for _, c := range b.cells {
		s.home[c] = uint16(s.Number)
	}
	s.Cells += len(b.cells)
	s.Bundles++
	s.runs += b.runs
	s.unknown += b.unknown
	s.ms += b.ms
	s.work += b.work
}

// Runs is the number of runs of its cells and their twins; with stop rules, at most.
func (s *Shard) Runs() int { return s.runs }

// Estimate returns how long its runs take, as Plan.Estimate does.
func (s *Shard) Estimate() (known time.Duration, unknown int) {
	return duration(s.ms / 1000), s.unknown
}

// Has says whether a cell of the plan is in the shard.
func (s *Shard) Has(cell int) bool { return int(s.home[cell]) == s.Number }

// Cell is the i-th cell of the whole plan, as Plan.Cell returns it.
func (s *Shard) Cell(i int) (*Cell, error) { return s.plan.Cell(i) }

// Order yields the runs of the shard in the order of the plan, each with its
// position in the whole plan.
func (s *Shard) Order() iter.Seq2[int, RunID] {
	return func(yield func(int, RunID) bool) {
		for position, run := range s.plan.Order() {
			if s.Has(run.Cell) && !yield(position, run) {
				return
			}
		}
	}
}

// bundle is cells that stay together. Its times are whole milliseconds, so that
// sums of them are the same on machines that round differently.
type bundle struct {
	cells         []int
	runs, unknown int
	ms            float64 // known before it runs
	work          float64 // that, and what the unknown runs count
}

// bundles returns the cells in bundles, those with the most work first.
func (p *Plan) bundles() ([]*bundle, error) {
	sets, err := p.compared()
	if err != nil {
		return nil, err
	}
	var list []*bundle
	of := make(map[int]*bundle)
	timed := bundle{} // all runs of known length
	for i := range p.cells {
		root := sets.find(i)
		b := of[root]
		if b == nil {
			b = &bundle{}
			of[root] = b
			list = append(list, b)
		}
		seconds, runs, unknown := p.cost(i)
		ms := math.Round(seconds * 1000)
		b.cells = append(b.cells, i)
		b.runs += runs
		b.ms += ms
		b.unknown += unknown
		if unknown == 0 && ms > 0 {
			timed.runs += runs
			timed.ms += ms
		}
	}
	average := 1000.0 // if no run has a known length, any will do
	if timed.runs > 0 {
		average = math.Round(timed.ms / float64(timed.runs))
	}
	for _, b := range list {
		b.work = b.ms + float64(b.unknown)*average
	}
	slices.SortFunc(list, func(a, b *bundle) int {
		return cmp.Or(cmp.Compare(b.work, a.work), cmp.Compare(len(b.cells), len(a.cells)), cmp.Compare(a.cells[0], b.cells[0]))
	})
	return list, nil
}

// compared unites the cells that a comparison pairs.
func (p *Plan) compared() (sets disjoint, err error) {
	sets = newDisjoint(p.cells)
	if len(p.scenario.Comparisons) == 0 {
		return sets, nil
	}
	baselines := make([][]*Cell, len(p.scenario.Comparisons))
	err = p.sides(IsBaseline, func(comparison int, c *Cell) { baselines[comparison] = append(baselines[comparison], c) })
	if err != nil {
		return nil, err
	}
	pairings := make([]*Pairing, len(baselines))
	for i, c := range p.scenario.Comparisons {
		pairings[i] = NewPairing(c, baselines[i])
	}
	err = p.sides(IsCandidate, func(comparison int, c *Cell) {
		if baseline, refused := pairings[comparison].BaselineOf(c); baseline != nil && refused == "" {
			sets.unite(baseline.Index, c.Index)
		}
	})
	return sets, err
}

// sides calls visit for every cell that is on the side of a comparison, which it
// gives by its number. Cells are not kept: a plan may have a million.
func (p *Plan) sides(side Side, visit func(comparison int, c *Cell)) error {
	for i := range p.cells {
		c, err := p.Cell(i)
		if err != nil {
			return err
		}
		for k, comparison := range p.scenario.Comparisons {
			if SideOf(comparison, c) == side {
				visit(k, c)
			}
		}
	}
	return nil
}

// byWork is a heap: the shard with the least work comes first. Where work says
// nothing, as with recorded results, the number of cells does.
type byWork []*Shard

func (s byWork) Len() int      { return len(s) }
func (s byWork) Swap(i, j int) { s[i], s[j] = s[j], s[i] }
func (s byWork) Less(i, j int) bool {
	a, b := s[i], s[j]
	return cmp.Or(cmp.Compare(a.work, b.work), cmp.Compare(a.Cells, b.Cells), cmp.Compare(a.Number, b.Number)) < 0
}
func (byWork) Push(any) { panic("plan: the number of shards is fixed") }
func (byWork) Pop() any { panic("plan: the number of shards is fixed") }

// disjoint is disjoint sets of the numbers from 0 on, each with a number that
// stands for the set (union and find).
type disjoint []int32

func newDisjoint(n int) disjoint {
	d := make(disjoint, n)
	for i := range d {
		d[i] = int32(i)
	}
	return d
}

func (d disjoint) find(i int) int {
	for int(d[i]) != i {
		d[i] = d[d[i]]
		i = int(d[i])
	}
	return i
}

func (d disjoint) unite(i, j int) {
	// The lowest number stands for the set.
	i, j = d.find(i), d.find(j)
	d[max(i, j)] = int32(min(i, j))
}
