package plan

import (
	"fmt"
	"slices"
	"sort"
)

// maxCells bounds the combinations of one sweep, so that no product overflows.
const maxCells = 1_000_000_000

// maxFiltered bounds the combinations that a filter looks at one by one.
const maxFiltered = 1 << 22

// matrix numbers the combinations of digits, one digit for each dimension,
// that a filter accepts: in order of writing, the last dimension moving
// fastest. It holds only the counts of the dimensions that the filter uses, so
// that counting does not list, and both directions (at, rank) cost little.
type matrix struct {
	sizes []int
	used  []int // dimensions that the filter looks at, ascending
	total int   // accepted combinations
	// free[d] is the product of the sizes of the unused dimensions between d
	// and the next used one (or the end).
	free []int
	// counts[j], for the j-th used dimension, has one row for each combination
	// of the used dimensions before it: for each digit how many combinations
	// come before it, and at the end the number of all.
	counts [][]uint32
}

// newMatrix numbers the product of sizes. accept tells which combinations of
// the used dimensions to keep; nil keeps all.
func newMatrix(sizes, used []int, accept func(digits []int) bool) (*matrix, error) {
	m := &matrix{sizes: sizes, free: make([]int, len(sizes))}
	if n, err := product(sizes, maxCells); n == 0 {
		return m, err
	}
	if accept != nil {
		m.used = used
	}
	after, level := 1, len(m.used)
	for d := len(sizes) - 1; d >= 0; d-- {
		m.free[d] = after
		if level > 0 && m.used[level-1] == d {
			after, level = 1, level-1
		} else {
			after *= sizes[d]
		}
	}
	m.total = after
	if len(m.used) == 0 {
		if accept != nil && m.total > 0 && !accept(make([]int, len(sizes))) {
			m.total = 0
		}
		return m, nil
	}
	if err := m.filter(accept); err != nil {
		return nil, err
	}
	m.total *= m.nodeTotal(0, 0)
	return m, nil
}

// filter fills counts, from the innermost used dimension outwards.
func (m *matrix) filter(accept func(digits []int) bool) error {
	usedSizes := make([]int, len(m.used))
	for j, d := range m.used {
		usedSizes[j] = m.sizes[d]
	}
	n, err := product(usedSizes, maxFiltered)
	if err != nil {
		return fmt.Errorf("the filter looks at more than %d combinations; let it use fewer axes, or split the sweep", maxFiltered)
	}
	m.counts = make([][]uint32, len(m.used))
	digits := make([]int, len(m.sizes))
	inner := len(m.used) - 1
	for j := inner; j >= 0; j-- {
		size := usedSizes[j]
		rows := n / max(size, 1)
		m.counts[j] = make([]uint32, rows*(size+1))
		for row := range rows {
			cum := m.counts[j][row*(size+1):]
			for v := range size {
				weight := 0
				if j < inner {
					weight = m.nodeTotal(j+1, row*size+v)
				} else if m.spread(row*size+v, digits); accept(digits) {
					weight = 1
				}
				cum[v+1] = cum[v] + uint32(weight*m.free[m.used[j]])
			}
		}
		n = rows
	}
	return nil
}

// spread writes the combination with the given number among the used
// dimensions into digits.
func (m *matrix) spread(number int, digits []int) {
	for j := len(m.used) - 1; j >= 0; j-- {
		d := m.used[j]
		digits[d] = number % m.sizes[d]
		number /= m.sizes[d]
	}
}

// nodeTotal is the number of accepted combinations from the j-th used
// dimension on, under the combination row of the used dimensions before it.
func (m *matrix) nodeTotal(j, row int) int {
	if j == len(m.used) {
		return 1
	}
	size := m.sizes[m.used[j]]
	return int(m.counts[j][row*(size+1)+size])
}

// at writes the digits of the i-th accepted combination, 0 <= i < total.
func (m *matrix) at(i int, digits []int) {
	level, row := 0, 0
	for d, size := range m.sizes {
		if level < len(m.used) && m.used[level] == d {
			cum := m.counts[level][row*(size+1) : (row+1)*(size+1)]
			v := sort.Search(size, func(v int) bool { return int(cum[v+1]) > i })
			digits[d] = v
			i -= int(cum[v])
			row = row*size + v
			level++
			continue
		}
		inner := m.free[d] * m.nodeTotal(level, row)
		digits[d] = i / inner
		i %= inner
	}
}

// rank is the inverse of at; ok is false if the filter does not accept the digits.
func (m *matrix) rank(digits []int) (i int, ok bool) {
	level, row := 0, 0
	for d, size := range m.sizes {
		if level < len(m.used) && m.used[level] == d {
			cum := m.counts[level][row*(size+1) : (row+1)*(size+1)]
			v := digits[d]
			if cum[v] == cum[v+1] {
				return 0, false
			}
			i += int(cum[v])
			row = row*size + v
			level++
			continue
		}
		i += digits[d] * m.free[d] * m.nodeTotal(level, row)
	}
	return i, m.total > 0
}

// project calls visit once for every combination of the digits of the given
// dimensions that occurs in an accepted combination, until visit returns
// false. The other digits are those of one such combination. It costs a look
// at every combination that the filter accepted, and the visits.
func (m *matrix) project(dims []int, visit func(digits []int) bool) {
	if m.total == 0 {
		return
	}
	digits := make([]int, len(m.sizes))
	var free, shared []int // of dims: those that the filter does not use, and those it does
	for _, d := range dims {
		if slices.Contains(m.used, d) {
			shared = append(shared, d)
		} else {
			free = append(free, d)
		}
	}
	if len(m.used) == 0 {
		m.walk(free, digits, visit)
		return
	}
	seen := make([]bool, m.number(shared, nil))
	last := len(m.used) - 1
	size := m.sizes[m.used[last]]
	for n := range len(m.counts[last]) / (size + 1) * size {
		if cum := m.counts[last][n/size*(size+1)+n%size:]; cum[0] == cum[1] {
			continue
		}
		m.spread(n, digits)
		if n := m.number(shared, digits); !seen[n] {
			seen[n] = true
			if !m.walk(free, digits, visit) {
				return
			}
		}
	}
}

// number is the number of a combination among the given dimensions; without
// digits, how many combinations they have.
func (m *matrix) number(dims, digits []int) int {
	n := 0
	if digits == nil {
		n = 1
	}
	for _, d := range dims {
		n *= m.sizes[d]
		if digits != nil {
			n += digits[d]
		}
	}
	return n
}

// walk visits the product of the given dimensions, the last moving fastest.
// It returns false if visit did, and leaves the digits at 0 otherwise.
func (m *matrix) walk(dims, digits []int, visit func(digits []int) bool) bool {
	if len(dims) == 0 {
		return visit(digits)
	}
	for v := range m.sizes[dims[0]] {
		digits[dims[0]] = v
		if !m.walk(dims[1:], digits, visit) {
			return false
		}
	}
	digits[dims[0]] = 0
	return true
}

// product multiplies sizes; it fails if the result is above limit.
func product(sizes []int, limit int) (int, error) {
	n := 1
	for _, s := range sizes {
		if s == 0 {
			return 0, nil
		}
	}
	for _, s := range sizes {
		if n > limit/s {
			return 0, fmt.Errorf("more than %d combinations", limit)
		}
		n *= s
	}
	return n, nil
}
