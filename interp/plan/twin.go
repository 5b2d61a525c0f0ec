package plan

import (
	"slices"

	"versus/drivers"
)

// maxTwinned bounds the cells that are looked at to find baselines.
const maxTwinned = 100_000

// addTwins finds the cells that are measured twice for the noise floor of their
// methodology: those that a comparison has as a baseline. The second
// measurement of a cell, its twin, has the runs after those of the cell itself,
// with the same arguments: of six runs a cell, the twin's are the numbers 6 to
// 11. A twin takes the place of one more cell in the order, after all cells, so
// that it lies as far from its cell as any candidate does.
func (p *Plan) addTwins() {
	for _, t := range p.tests {
		if t.Methodology == nil || !t.Methodology.NoiseFloor {
			continue
		}
		switch {
		case t.Pattern == string(drivers.Replay):
			p.problems.fail(t.Range.Ptr(), "No noise floor", "Test %s replays recorded results, which can't be measured twice. Leave noise_floor out of its methodology.", t.Name)
			continue
		case t.cells > maxTwinned:
			p.problems.fail(t.Range.Ptr(), "No noise floor", "Test %s has %d cells; baselines are looked for among %d at most. Leave noise_floor out of its methodology, or make the test smaller.", t.Name, t.cells, maxTwinned)
			continue
		}
		for i := t.first; i < t.first+t.cells; i++ {
			if c, err := p.Cell(i); err == nil && p.isBaseline(c) {
				t.twins = append(t.twins, i)
			}
		}
		p.runs += len(t.twins) * t.runs
	}
}

func (p *Plan) isBaseline(c *Cell) bool {
	for _, comparison := range p.scenario.Comparisons {
		if SideOf(comparison, c) == IsBaseline {
			return true
		}
	}
	return false
}

// Twin says whether a cell is measured twice, for the noise floor. The second
// measurement has the run numbers from RunsOf(cell) on.
func (p *Plan) Twin(cell int) bool {
	_, ok := slices.BinarySearch(p.test(cell).twins, cell)
	return ok
}
