// Package schema describes the scenario language as data: which blocks there
// are, which arguments they take, of what type, known at what time, and what
// they mean.
//
// It is a leaf: it imports nothing of this project, so that both the language
// (package dsl) and the drivers, which add the arguments of their backends,
// can speak it. The decoder, the reference manual and the "did you mean"
// suggestions are all derived from these descriptions. It decodes nothing
// itself.
package schema

// Type is what an argument accepts. The quantities accept a string with a
// unit ("200ms") or a plain number in the SI base unit.
type Type string

// The types of arguments.
const (
	String     Type = "string"
	Number     Type = "number"
	Integer    Type = "whole number"
	Bool       Type = "bool"
	Duration   Type = "duration"  // seconds: "200ms", "5s", 0.2
	Size       Type = "size"      // bytes: "4MiB", "512B", 512
	Rate       Type = "rate"      // per second: "1kHz", 1000
	Bandwidth  Type = "bandwidth" // bits per second: "56kbit/s"
	Any        Type = "any value"
	List       Type = "list"
	Map        Type = "map"
	Formula    Type = "formula"     // an expression evaluated over results
	TypeExpr   Type = "type"        // string, number, bool, list(number), ...
	BackendRef Type = "backend"     // backend.NAME
	HostRef    Type = "host"        // host.NAME
	MethodRef  Type = "methodology" // methodology.NAME
	DatasetRef Type = "dataset"     // dataset.NAME
	TestRef    Type = "test"        // test.NAME
	PayloadRef Type = "payload"     // bytes(...), lines(...), payload.NAME
	Selector   Type = "axis values" // { backend = backend.x, payload = [512, 1024] }
	Placement  Type = "placement"   // { client = host.near, server = host.far }
)

// Time says when the value of an argument is known, see docs/language.md.
type Time int

// The three times at which an expression is evaluated.
const (
	Load   Time = iota // var, local, backend, host, ...: before anything is planned
	Cell               // also each.AXIS
	Result             // also metrics and comparisons
)

func (t Time) String() string {
	return [...]string{"load", "cell", "result"}[t]
}

// Attr describes one argument.
type Attr struct {
	Name     string
	Type     Type
	Time     Time
	Required bool
	// Default is the value when the argument is absent, in HCL, for example
	// `"1.1"`, `1` or `true`. It is decoded like written text. Empty means no value.
	Default string
	// OneOf lists the only values allowed, if not empty.
	OneOf []string
	// Min and Max bound a number or quantity, both inclusive, in base units.
	// Equal values mean no bound.
	Min, Max float64
	Doc      string // one sentence or two, ends with a full stop
	Example  string // HCL, only the value
	NotBuilt string // if not empty: parses, but is refused with this reason
}

// Label describes one label of a block: `test "rpc" "NAME"` has two.
type Label struct {
	Name string // "driver", "name": used in messages and in the manual
	// Kind says that the label selects one of the block's Kinds.
	Kind bool
	// Name labels declare a name that references use; it must be unique.
	Declares bool
	// Optional labels may be left out: `sweep {}` and `sweep "by_size" {}`.
	Optional bool
}

// Block describes one type of block.
type Block struct {
	Type   string // "backend"
	Labels []Label
	Doc    string
	// Example is a whole block in HCL, for the manual. It must decode.
	Example string
	Attrs   []Attr
	Blocks  []Block
	// Kinds are the values that the Kind label may have, each adding
	// arguments of its own.
	Kinds []Kind
	// Free, if not nil, describes every argument that Attrs does not name:
	// the axes of a sweep, the names in locals.
	Free *Attr
	// Many says that the block may be written more than once in its place.
	Many     bool
	Required bool
	NotBuilt string
}

// Kind is one choice of a block's Kind label: a driver of `backend`, a
// launcher of `host`, a format of `dataset`.
type Kind struct {
	Name     string
	Doc      string
	Attrs    []Attr
	Blocks   []Block
	NotBuilt string
}

// Attr returns the description of the argument called name, from the block
// itself or, if kind is not nil, from its kind; nil if there is none.
func (b *Block) Attr(kind *Kind, name string) *Attr {
	for i := range b.Attrs {
		if b.Attrs[i].Name == name {
			return &b.Attrs[i]
		}
	}
	if kind != nil {
		for i := range kind.Attrs {
			if kind.Attrs[i].Name == name {
				return &kind.Attrs[i]
			}
		}
	}
	return b.Free
}

// Kind returns the kind called name, or nil.
func (b *Block) Kind(name string) *Kind {
	for i := range b.Kinds {
		if b.Kinds[i].Name == name {
			return &b.Kinds[i]
		}
	}
	return nil
}
