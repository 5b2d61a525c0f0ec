// Package spell guesses which name a misspelled one was meant to be ("did you
// mean").
//
// It is a leaf, knows no names itself, and writes no messages.
package spell

import (
	"slices"
	"strings"
)

// Nearest returns the candidate that name was most likely meant to be, or ""
// if none is near: at most half of its letters may differ. Case and '_' do not
// count. Of several equally near ones it returns the first in the order of the
// alphabet, whatever the order of candidates. A candidate equal to name is not
// a correction, and is passed over.
func Nearest(name string, candidates []string) string {
	folded := fold(name)
	best, bestDistance := "", len(folded)/2+1 // a distance must be below it
	for _, candidate := range slices.Sorted(slices.Values(candidates)) {
		if candidate == name || candidate == "" {
			continue
		}
		if d := distance(folded, fold(candidate), bestDistance); d < bestDistance {
			best, bestDistance = candidate, d
		}
	}
	return best
}

// longest is the length above which a name is not compared; the time is quadratic.
const longest = 64

func fold(name string) []rune {
	return []rune(strings.ReplaceAll(strings.ToLower(name), "_", ""))
}

// distance returns how many letters must be inserted, deleted, replaced or
// swapped with their neighbour to turn a into b (the optimal string alignment
// distance of Damerau, 1964), or limit if it is limit or more.
func distance(a, b []rune, limit int) int {
	if abs(len(a)-len(b)) >= limit || len(a) > longest || len(b) > longest {
		return limit
	}
	var before, last, row [longest + 1]int // the rows for a[:i-2], a[:i-1] and a[:i]
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return min(last[len(b)], limit)
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
