package drivers

import "math/rand/v2"

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
