package format

import (
	"bytes"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"versus/stdlib/metric"
)

// rewrite returns the edits that change more than layout. All but the last
// keep the meaning:
//
//   - // comment         becomes  # comment
//   - test rpc latency   becomes  test "rpc" "latency"
//   - "${x}"             becomes  x, and (x) where it is part of a larger expression
//   - baseline-candidate becomes  baseline - candidate
//
// '-' is a letter of HCL's names, but never of a name that a scenario can
// declare, so the last one was an error before.
func rewrite(body *hclsyntax.Body, src []byte) edits {
	r := &rewriter{
		src: src, known: map[string]bool{}, metrics: map[string]bool{},
		keys: map[hclsyntax.Node]bool{}, whole: map[hclsyntax.Node]bool{},
	}
	r.names(body)
	r.comments()
	hclsyntax.VisitAll(body, func(node hclsyntax.Node) hcl.Diagnostics {
		switch n := node.(type) {
		case *hclsyntax.Block:
			r.labels(n)
		case *hclsyntax.Attribute:
			r.whole[n.Expr] = true
		case *hclsyntax.ObjectConsKeyExpr:
			r.keys[n.Wrapped] = true
		case *hclsyntax.TemplateWrapExpr:
			r.template(n)
		case *hclsyntax.ScopeTraversalExpr:
			r.differences(n.Traversal)
		}
		return nil
	})
	return r.edits
}

type rewriter struct {
	src     []byte
	known   map[string]bool         // what a reference can begin with
	metrics map[string]bool         // of these, what metrics begin with
	keys    map[hclsyntax.Node]bool // keys of objects: a bare name there is a text
	whole   map[hclsyntax.Node]bool // whole values of arguments
	edits
}

func (r *rewriter) comments() {
	tokens, _ := hclsyntax.LexConfig(r.src, "", hcl.InitialPos)
	for _, t := range tokens {
		if t.Type == hclsyntax.TokenComment && bytes.HasPrefix(t.Bytes, []byte("//")) {
			at := t.Range.Start.Byte
			r.add(at, at+2, "#")
		}
	}
}

func (r *rewriter) labels(b *hclsyntax.Block) {
	for i, at := range b.LabelRanges {
		if r.src[at.Start.Byte] != '"' {
			r.add(at.Start.Byte, at.End.Byte, `"`+b.Labels[i]+`"`)
		}
	}
}

// template unwraps "${x}". What is around the x is removed piece by piece, so
// that a template inside x can be unwrapped too.
func (r *rewriter) template(t *hclsyntax.TemplateWrapExpr) {
	outer, inner := t.SrcRange, t.Wrapped.Range()
	head := string(r.src[outer.Start.Byte:inner.Start.Byte])
	tail := string(r.src[inner.End.Byte:outer.End.Byte])
	// Not a key, not a heredoc, nothing but the brackets around x, and no line
	// end, which could not stand outside of them.
	if r.keys[t] || strings.TrimSpace(strings.Trim(head, "~ \t")) != `"${` || strings.Trim(tail, "~ \t") != `}"` ||
		bytes.ContainsRune(r.src[outer.Start.Byte:outer.End.Byte], '\n') {
		return
	}
	open, end := "(", ")"
	if r.whole[t] || isTerm(t.Wrapped) && !r.touches(outer) {
		open, end = "", ""
	}
	r.add(outer.Start.Byte, inner.Start.Byte, open)
	r.add(inner.End.Byte, outer.End.Byte, end)
}

// touches reports whether what is beside the range would become part of a name
// in it: "${x}"-1 is a difference, x-1 a name.
func (r *rewriter) touches(at hcl.Range) bool {
	letter := func(i int) bool {
		return i >= 0 && i < len(r.src) && (r.src[i] >= 0x80 || r.src[i] == '-' || r.src[i] == '_' ||
			'0' <= r.src[i] && r.src[i] <= '9' || 'a' <= r.src[i]|0x20 && r.src[i]|0x20 <= 'z')
	}
	return letter(at.Start.Byte-1) || letter(at.End.Byte)
}

// isTerm reports whether e binds stronger than any operator.
func isTerm(e hclsyntax.Expression) bool {
	switch e.(type) {
	case *hclsyntax.ScopeTraversalExpr, *hclsyntax.FunctionCallExpr, *hclsyntax.ParenthesesExpr,
		*hclsyntax.TemplateExpr, *hclsyntax.TemplateWrapExpr, *hclsyntax.TupleConsExpr:
		return true
	}
	return false
}

// differences puts spaces around each '-' in the names of a reference if what
// follows it can only be the start of another reference, or a number. Keys of
// maps may contain '-', so below var.NAME, local.NAME and the like nothing is
// changed; names that a scenario declares may not, nor may those of metrics.
func (r *rewriter) differences(traversal hcl.Traversal) {
	root, _, _ := strings.Cut(traversal.RootName(), "-")
	if !r.known[root] {
		return
	}
	declared := 2 // steps that are names
	if r.metrics[root] {
		declared = len(traversal)
	}
	for _, step := range traversal[:min(declared, len(traversal))] {
		var name string
		switch step := step.(type) {
		case hcl.TraverseRoot:
			name = step.Name
		case hcl.TraverseAttr:
			name = step.Name
		}
		at := step.SourceRange().End.Byte - len(name)
		parts := strings.Split(name, "-")
		if at < 0 || !bytes.HasPrefix(r.src[at:], []byte(name)) || !r.allKnown(parts[1:]) {
			return
		}
		for _, part := range parts[:len(parts)-1] {
			at += len(part)
			r.add(at, at+1, " - ")
			at++
		}
	}
}

func (r *rewriter) allKnown(parts []string) bool {
	for _, part := range parts {
		isNumber := part != "" && strings.Trim(part, "0123456789") == ""
		if !isNumber && !r.known[part] {
			return false
		}
	}
	return true
}

// names fills in the names with which a reference can begin: what the language
// gives, the metrics, and the variables of for expressions.
func (r *rewriter) names(body *hclsyntax.Body) {
	for _, name := range []string{"each", "n", "var", "local", "backend", "dataset", "host", "methodology", "payload", "test"} {
		r.known[name] = true
	}
	metrics := []string{"baseline", "candidate", "comparison", "cpu", "errors", "memory"} // and families, see metric.Lookup
	for _, m := range metric.All {
		metrics = append(metrics, m.Name)
	}
	for _, name := range metrics {
		name, _, _ = strings.Cut(name, ".")
		r.known[name], r.metrics[name] = true, true
	}
	hclsyntax.VisitAll(body, func(node hclsyntax.Node) hcl.Diagnostics {
		if f, ok := node.(*hclsyntax.ForExpr); ok {
			for _, name := range []string{f.KeyVar, f.ValVar} {
				if name != "" && !strings.Contains(name, "-") {
					r.known[name] = true
				}
			}
		}
		return nil
	})
}
