package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Changes says in words how two methodologies differ, each as Methodology
// returns it: "methodology of test capacity: runs 6 -> 8". Nothing means that
// they are the same.
func Changes(old, new []string) []string {
	before, after := byPath(old), byPath(new)
	var changes []string
	whole := map[string]bool{} // blocks that are only in one of them
	paths := slices.Sorted(maps.Keys(before))
	for path := range after {
		if _, ok := before[path]; !ok {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	for _, path := range paths {
		was, had := before[path]
		is, has := after[path]
		block := blockOf(path)
		switch {
		case had && has && was == is, whole[block]:
			continue
		case !had && !hasBlock(before, block):
			whole[block] = true
			changes = append(changes, strings.Replace(block, ".", " ", 1)+": added")
		case !has && !hasBlock(after, block):
			whole[block] = true
			changes = append(changes, strings.Replace(block, ".", " ", 1)+": removed")
		case !had:
			changes = append(changes, fmt.Sprintf("%s is new: %s", inWords(path), is))
		case !has:
			changes = append(changes, fmt.Sprintf("%s is gone: %s", inWords(path), was))
		default:
			changes = append(changes, fmt.Sprintf("%s %s -> %s", inWords(path), was, is))
		}
	}
	return changes
}

func byPath(lines []string) map[string]string {
	m := map[string]string{}
	for _, l := range lines {
		path, value, _ := strings.Cut(l, " = ")
		m[path] = value
	}
	return m
}

// blockOf is the part of a path that names a block: "test.capacity".
func blockOf(path string) string {
	kind, rest, _ := strings.Cut(path, ".")
	name, _, _ := strings.Cut(rest, ".")
	return kind + "." + name
}

func hasBlock(lines map[string]string, block string) bool {
	for path := range lines {
		if blockOf(path) == block {
			return true
		}
	}
	return false
}

// inWords turns test.capacity.methodology.runs into "methodology of test
// capacity: runs", and backend.ice.driver into "backend ice: driver".
func inWords(path string) string {
	parts := strings.SplitN(path, ".", 4)
	if len(parts) < 2 {
		return path
	}
	block := parts[0] + " " + parts[1]
	switch len(parts) {
	case 2:
		return block + ": content"
	case 3:
		return block + ": " + parts[2]
	}
	section := strings.NewReplacer("[", " ", "]", "").Replace(parts[2])
	return section + " of " + block + ": " + strings.TrimPrefix(parts[3], "axis.")
}
