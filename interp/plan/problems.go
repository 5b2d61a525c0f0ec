package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
)

const (
	maxAlike    = 20 // problems with the same summary that are reported one by one
	maxExamples = 3  // combinations of axis values that are named for one problem
)

// problems collects diagnostics. The same problem at several combinations of
// axis values is reported once, with examples.
type problems struct {
	list  []*problem
	index map[string]*problem
	alike map[string]int // number of problems by summary
}

type problem struct {
	hcl.Diagnostic
	at   []string // the first few combinations
	more int      // further ones
}

func (ps *problems) fail(rng *hcl.Range, summary, detail string, args ...any) {
	ps.add(&hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: fmt.Sprintf(detail, args...), Subject: rng}, "")
}

// add takes a problem; at says in words at which combination of axis values.
func (ps *problems) add(d *hcl.Diagnostic, at string) {
	key := d.Summary + "\x00" + d.Detail
	if d.Subject != nil {
		key += "\x00" + d.Subject.String()
	}
	p := ps.index[key]
	if p == nil {
		if ps.index == nil {
			ps.index, ps.alike = map[string]*problem{}, map[string]int{}
		}
		if ps.alike[d.Summary]++; ps.alike[d.Summary] > maxAlike {
			return
		}
		p = &problem{Diagnostic: *d}
		ps.index[key] = p
		ps.list = append(ps.list, p)
	}
	switch {
	case at == "" || slices.Contains(p.at, at):
	case len(p.at) < maxExamples:
		p.at = append(p.at, at)
	default:
		p.more++
	}
}

func (ps *problems) errors() bool {
	for _, p := range ps.list {
		if p.Severity == hcl.DiagError {
			return true
		}
	}
	return false
}

// diagnostics returns everything collected, in the order of the source.
func (ps *problems) diagnostics() hcl.Diagnostics {
	slices.SortStableFunc(ps.list, func(a, b *problem) int {
		x, y := hcl.Range{}, hcl.Range{}
		if a.Subject != nil {
			x = *a.Subject
		}
		if b.Subject != nil {
			y = *b.Subject
		}
		return cmp.Or(cmp.Compare(x.Filename, y.Filename), cmp.Compare(x.Start.Byte, y.Start.Byte))
	})
	var diags hcl.Diagnostics
	last := map[string]*hcl.Diagnostic{}
	for _, p := range ps.list {
		d := p.Diagnostic
		if len(p.at) > 0 {
			d.Detail += " This is so at " + strings.Join(p.at, "; at ")
			if p.more > 0 {
				d.Detail += fmt.Sprintf("; and at %d more", p.more)
			}
			d.Detail += "."
		}
		diags = append(diags, &d)
		last[d.Summary] = &d
	}
	for summary, n := range ps.alike {
		if n > maxAlike {
			last[summary].Detail += fmt.Sprintf(" There are %d more problems of this kind.", n-maxAlike)
		}
	}
	return diags
}
