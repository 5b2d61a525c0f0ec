package units

import (
	"fmt"
	"slices"
	"strings"
)

// unknownUnit explains a unit that q does not have. only says that number and
// name are the whole text, so that a suggestion can be spelled out.
func (q *quantity) unknownUnit(text, number, name string, only bool) error {
	switch {
	case name == "" && only:
		return fmt.Errorf("%q has no unit; write for example %q", text, number+q.units[q.plain()].name)
	case strings.HasPrefix(name, ",") || strings.HasPrefix(name, "_"):
		return fmt.Errorf("%q: write the number without separators, for example %s", text, q.example)
	case strings.HasPrefix(name, "."):
		return fmt.Errorf("%q: a decimal point needs digits on both sides", text)
	}
	if guesses := q.guess(name); only && len(guesses) > 0 {
		return fmt.Errorf("%q: unknown unit %q; did you mean %s?", text, name, q.spell(number, guesses))
	}
	for _, other := range kinds {
		if other != q && other.unit(name) != nil {
			return fmt.Errorf("%q is %s, not %s, which is written like %s", text, other.name, q.name, q.example)
		}
	}
	return fmt.Errorf("%q: unknown unit %q; %s is a number and one of %s", text, name, q.name, q.list())
}

// plain is the index of the unit without prefix, the likeliest for a bare number.
func (q *quantity) plain() int {
	return max(0, slices.IndexFunc(q.units, func(u unit) bool { return u.factor == 1 && u.exp10 == 0 }))
}

func (q *quantity) guess(name string) []string {
	low := strings.ToLower(name)
	if meant := q.meant[low]; len(meant) > 0 {
		return meant
	}
	var same []string
	for _, u := range q.units {
		if strings.ToLower(u.name) == low {
			same = append(same, u.name)
		}
	}
	return same
}

// spell writes the guesses out: `"4MB" (4,000,000 B) or "4MiB" (4,194,304 B)`.
func (q *quantity) spell(number string, guesses []string) string {
	var out []string
	for _, g := range guesses {
		text := fmt.Sprintf("%q", number+g)
		if v, err := q.parse(number + g); err == nil && len(guesses) > 1 {
			text += " (" + q.describe(v) + ")"
		}
		out = append(out, text)
	}
	return strings.Join(out, " or ")
}

// list names the units, one spelling each.
func (q *quantity) list() string {
	var names []string
	for _, u := range q.units {
		if u.name != "µs" && u.name != "μs" && u.name != "KB" {
			names = append(names, u.name)
		}
	}
	return strings.Join(names, ", ")
}
