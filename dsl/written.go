package dsl

import (
	"github.com/hashicorp/hcl/v2"

	"versus/dsl/schema"
)

// Block is a block as it stands in a file.
type Block struct {
	Type   string
	Labels []string
	Attrs  []Argument // in order of writing
	Blocks []*Block
	Range  hcl.Range // its header
	// Body reaches from the opening to the closing brace; it is empty in JSON.
	Body hcl.Range
}

// Argument is an argument as it stands in a block.
type Argument struct {
	Name string
	Expr hcl.Expression
	// Range is the name, and Source the text of the value.
	Range  hcl.Range
	Source string
	Spec   *schema.Attr
}

// Attr returns the argument called name, nil if the block has none.
func (b *Block) Attr(name string) *Argument {
	for i := range b.Attrs {
		if b.Attrs[i].Name == name {
			return &b.Attrs[i]
		}
	}
	return nil
}

// Block returns the first block of a type inside the block, nil if there is none.
func (b *Block) Block(kind string) *Block {
	for _, inner := range b.Blocks {
		if inner.Type == kind {
			return inner
		}
	}
	return nil
}

// Find returns the block whose header is at the range, nil if there is none:
// Test.Range, Methodology.Range and the like lead to what was written.
func (s *Scenario) Find(header hcl.Range) *Block { return s.headers[header] }

// headers indexes blocks by their headers.
func headers(blocks []*Block, index map[hcl.Range]*Block) map[hcl.Range]*Block {
	for _, b := range blocks {
		if index[b.Range] == nil {
			index[b.Range] = b
		}
		headers(b.Blocks, index)
	}
	return index
}

// asWritten shows nodes to the outside.
func asWritten(nodes []*node) []*Block {
	var blocks []*Block
	for _, n := range nodes {
		b := &Block{Type: n.spec.Type, Labels: n.labels, Blocks: asWritten(n.blocks), Range: n.rng, Body: n.body}
		for _, a := range n.attrs {
			b.Attrs = append(b.Attrs, Argument{Name: a.name, Expr: a.expr, Range: a.rng, Source: source(a.expr, a.src), Spec: a.spec})
		}
		blocks = append(blocks, b)
	}
	return blocks
}
