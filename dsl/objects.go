package dsl

import "github.com/zclconf/go-cty/cty"

// Value is the object under which expressions know the backend.
func (b *Backend) Value() cty.Value {
	return reference("backend", "driver", b.Driver, "name", b.Name, "title", b.Title)
}

// Value is the object under which expressions know the host.
func (h *Host) Value() cty.Value { return hostReference(h.Name, h.Title) }

// Value is the object under which expressions know the test.
func (t *Test) Value() cty.Value {
	return reference("test", "pattern", t.Pattern, "name", t.Name, "title", t.Title, "group", t.Group)
}

// Known are the values of load time that the expression refers to: by root
// ("var", "local", ...) an object of the names below it.
func (e *Expr) Known() map[string]cty.Value { return e.known }
