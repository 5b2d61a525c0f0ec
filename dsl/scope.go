package dsl

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// loadRoots are the names that begin a reference known at load time, and what
// a name below them is called.
var loadRoots = map[string]string{
	"var": "variable", "local": "local", "backend": "backend", "host": "host", "link": "link",
	"payload": "payload", "dataset": "dataset", "methodology": "methodology", "test": "test",
}

// scope holds every value known at load time, each computed when it is first
// asked for, and the functions.
type scope struct {
	decls map[string]map[string]*decl // "local" -> name -> declaration
	funcs map[string]function.Function
	trail []string // what is being computed, to find circles
}

// decl is one name of load time.
type decl struct {
	rng   hcl.Range
	eval  func() cty.Value // reports its own errors, and returns DynamicVal after one
	done  bool
	busy  bool
	value cty.Value
}

func newScope() *scope {
	s := &scope{decls: map[string]map[string]*decl{}}
	for root := range loadRoots {
		s.decls[root] = map[string]*decl{}
	}
	return s
}

// declare adds a name; it returns the earlier declaration if there is one.
func (s *scope) declare(root, name string, rng hcl.Range, eval func() cty.Value) (earlier *decl) {
	if d := s.decls[root][name]; d != nil {
		return d
	}
	s.decls[root][name] = &decl{rng: rng, eval: eval}
	return nil
}

func (s *scope) names(root string) []string {
	var names []string
	for name := range s.decls[root] {
		names = append(names, name)
	}
	return names
}

// get computes the value of root.name, which must be declared. cycle is the
// chain of names if it depends on itself.
func (s *scope) get(root, name string) (v cty.Value, cycle []string) {
	d := s.decls[root][name]
	label := root + "." + name
	if d.done {
		return d.value, nil
	}
	if d.busy {
		start := 0
		for i, t := range s.trail {
			if t == label {
				start = i
			}
		}
		return cty.DynamicVal, append(append([]string{}, s.trail[start:]...), label)
	}
	d.busy = true
	s.trail = append(s.trail, label)
	d.value = d.eval()
	s.trail = s.trail[:len(s.trail)-1]
	d.busy, d.done = false, true
	return d.value, nil
}

// reference returns the object under which a backend, host or other named
// thing is known in expressions. All of one root have one type, so that lists
// of them and comparisons between them work.
func reference(root string, fields ...string) cty.Value {
	m := map[string]cty.Value{"kind": cty.StringVal(root)}
	for i := 0; i+1 < len(fields); i += 2 {
		m[fields[i]] = cty.StringVal(fields[i+1])
	}
	return cty.ObjectVal(m)
}

// refersTo returns the name of the backend, host, ... that a value refers to.
func refersTo(root string, v cty.Value) (string, bool) {
	v, _ = v.UnmarkDeep()
	if v.IsNull() || !v.IsKnown() || !v.Type().IsObjectType() || !v.Type().HasAttribute("kind") || !v.Type().HasAttribute("name") {
		return "", false
	}
	kind, name := v.GetAttr("kind"), v.GetAttr("name")
	if kind.Type() != cty.String || name.Type() != cty.String || kind.IsNull() || name.IsNull() || kind.AsString() != root {
		return "", false
	}
	return name.AsString(), true
}

// BackendName returns the name of the backend that a value such as
// each.backend refers to; ok is false if it refers to none.
func BackendName(v cty.Value) (name string, ok bool) { return refersTo("backend", v) }

// HostName returns the name of the host that a value such as each.host refers
// to; ok is false if it refers to none.
func HostName(v cty.Value) (name string, ok bool) { return refersTo("host", v) }

// values returns the context variables for references of load time.
func (l *loader) values(refs []ref) map[string]cty.Value {
	groups := map[string]map[string]cty.Value{}
	for _, r := range refs {
		if _, ok := loadRoots[r.root]; !ok || r.name == "" || l.scope.decls[r.root][r.name] == nil {
			continue
		}
		v, cycle := l.scope.get(r.root, r.name)
		if cycle != nil {
			l.cycle(r, cycle)
		}
		if groups[r.root] == nil {
			groups[r.root] = map[string]cty.Value{}
		}
		groups[r.root][r.name] = v
	}
	vars := map[string]cty.Value{}
	for root, members := range groups {
		vars[root] = cty.ObjectVal(members)
	}
	return vars
}

// cycle reports a circle of definitions once, however it is entered.
func (l *loader) cycle(r ref, chain []string) {
	seen := map[string]bool{}
	for _, name := range chain {
		seen[name] = true
	}
	key := fmt.Sprint(len(seen), smallest(chain))
	if l.cycles[key] {
		return
	}
	l.cycles[key] = true
	l.fail(&r.rng, "Circular definition", "%s is defined by itself: %s.", chain[0], strings.Join(chain, " -> "))
}

func smallest(names []string) string {
	least := names[0]
	for _, n := range names {
		if n < least {
			least = n
		}
	}
	return least
}
