package drivers

import (
	"iter"
	"math/rand/v2"
	"strings"
)

// Content returns the bytes of one message: the text of kind lines, and for
// kind bytes always the same incompressible bytes, so that compression along
// the way flatters nobody. It returns nil for structs, which every driver
// encodes in its own way.
func (p Payload) Content() []byte {
	switch p.Kind {
	case "bytes":
		b := make([]byte, p.Bytes)
		rng := rand.New(rand.NewPCG(1, 2))
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		return b
	case "lines":
		return []byte(p.Text)
	}
	return nil
}

// Lines returns the lines of the text, without their ends; one at least.
func (p Payload) Lines() []string { return strings.Split(strings.TrimSuffix(p.Text, "\n"), "\n") }

// Texts yields the text of each struct of kind structs: the lines in turn.
func (p Payload) Texts() iter.Seq[string] {
	lines := p.Lines()
	return func(yield func(string) bool) {
		for i := range p.Count {
			if !yield(lines[i%len(lines)]) {
				return
			}
		}
	}
}
