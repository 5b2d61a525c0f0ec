package dsl

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"versus/dsl/schema"
	"versus/dsl/spell"
)

// node is a block as written, checked against its description: every argument
// and block in it is known, none that may stand once stands twice.
type node struct {
	spec   *schema.Block
	kind   *schema.Kind // what the Kind label selected, nil if there is none or it is unknown
	labels []string
	attrs  []*attr // in order of writing
	blocks []*node
	rng    hcl.Range // its header
	body   hcl.Range // from brace to brace; empty in JSON
	// stub says that the block was refused as a whole: its name stands, so
	// that references to it are not refused as well, and nothing else counts.
	stub bool
	// meant are the arguments and blocks that misspelled ones were taken for:
	// that they are missing need not be said too.
	meant []string
}

// attr is an argument as written.
type attr struct {
	spec *schema.Attr
	name string
	expr hcl.Expression
	rng  hcl.Range // the name
	src  []byte    // the file it stands in
}

func (n *node) attr(name string) *attr {
	for _, a := range n.attrs {
		if a.name == name {
			return a
		}
	}
	return nil
}

func (n *node) block(kind string) *node {
	for _, b := range n.blocks {
		if b.spec.Type == kind {
			return b
		}
	}
	return nil
}

// name is the label that declares the block's name.
func (n *node) name() string {
	for i, l := range n.spec.Labels {
		if l.Declares && i < len(n.labels) {
			return n.labels[i]
		}
	}
	return ""
}

// address names the block in messages: `test "capacity"`.
func (n *node) address() string {
	if name := n.name(); name != "" {
		return fmt.Sprintf("%s %q", n.spec.Type, name)
	}
	return n.spec.Type
}

// written is the content of a body before it is checked, the same for native
// syntax and JSON.
type written struct {
	attrs  []*hcl.Attribute
	blocks []*hcl.Block
	bodies []hcl.Range // of the blocks, from brace to brace; none in JSON
}

// decode checks a body against its description.
func (l *loader) decode(spec *schema.Block, body hcl.Body, src []byte) *node {
	n := &node{spec: spec, rng: body.MissingItemRange()}
	l.decodeInto(n, body, src)
	return n
}

func (l *loader) decodeInto(n *node, body hcl.Body, src []byte) {
	blocks := n.spec.Blocks
	if n.kind != nil {
		blocks = append(append([]schema.Block{}, blocks...), n.kind.Blocks...)
	}
	w := l.content(body, blocks)
	for _, a := range w.attrs {
		l.argument(n, a, blocks, src)
	}
	for i, b := range w.blocks {
		spec := findBlock(blocks, b.Type)
		if spec == nil {
			l.unknownBlock(n, b, blocks)
			l.takenFor(n, b, blocks)
			continue
		}
		if first := n.block(b.Type); first != nil && !spec.Many {
			l.fail(&b.DefRange, "Duplicate block", "There is already a %s block here, at %s.", b.Type, first.rng)
			continue
		}
		child := &node{spec: spec, labels: b.Labels, rng: b.DefRange}
		if i < len(w.bodies) {
			child.body = w.bodies[i]
		}
		if !l.checkLabels(child, b) {
			continue
		}
		if !child.stub {
			l.decodeInto(child, b.Body, src)
		}
		n.blocks = append(n.blocks, child)
	}
	l.checkRequired(n, blocks)
}

func (l *loader) argument(n *node, a *hcl.Attribute, blocks []schema.Block, src []byte) {
	spec := n.spec.Attr(n.kind, a.Name)
	if spec == nil {
		l.unknownArgument(n, a, blocks)
		return
	}
	if spec == n.spec.Free && !validName(a.Name) {
		l.fail(&a.NameRange, "Invalid name", "%s", nameRule(a.Name))
		return
	}
	if spec.NotBuilt != "" {
		l.fail(&a.NameRange, "Not built yet", "%s.", spec.NotBuilt)
	}
	n.attrs = append(n.attrs, &attr{spec: spec, name: a.Name, expr: a.Expr, rng: a.NameRange, src: src})
}

// takenFor lets the name that a misspelled block declares stand, so that
// references to it are not refused as well.
func (l *loader) takenFor(n *node, b *hcl.Block, blocks []schema.Block) {
	spec := findBlock(blocks, nearestBlock(b.Type, blocks))
	if spec == nil {
		return
	}
	n.meant = append(n.meant, spec.Type)
	switch spec.Type {
	case "backend", "host", "link", "methodology", "test":
		child := &node{spec: spec, labels: b.Labels, rng: b.DefRange}
		known := l.diags
		if l.checkLabels(child, b) {
			child.stub = true
			n.blocks = append(n.blocks, child)
		}
		l.diags = known
	}
}

func (l *loader) checkRequired(n *node, blocks []schema.Block) {
	missing := func(what, name string) {
		if slices.Contains(n.meant, name) {
			return
		}
		rng := n.rng
		l.fail(&rng, "Missing "+what, "%s needs the %s %q.", upperFirst(n.where()), what, name)
	}
	specs := n.spec.Attrs
	if n.kind != nil {
		specs = append(append([]schema.Attr{}, specs...), n.kind.Attrs...)
	}
	for _, s := range specs {
		if s.Required && n.attr(s.Name) == nil {
			missing("argument", s.Name)
		}
	}
	for _, b := range blocks {
		if b.Required && n.block(b.Type) == nil && n.spec.Type != "" {
			missing("block", b.Type)
		}
	}
}

func (n *node) where() string {
	if n.spec.Type == "" {
		return "a scenario"
	}
	return n.address()
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// sentence makes a sentence of an error.
func sentence(err error) string {
	s := upperFirst(err.Error())
	if strings.HasSuffix(s, "?") || strings.HasSuffix(s, ".") {
		return s
	}
	return s + "."
}

func findBlock(blocks []schema.Block, kind string) *schema.Block {
	for i := range blocks {
		if blocks[i].Type == kind {
			return &blocks[i]
		}
	}
	return nil
}

// content returns what is written in a body. Native syntax is read directly,
// so that unknown names and optional labels get messages of our own; in JSON
// a property is a block if the description says so, else an argument.
func (l *loader) content(body hcl.Body, blocks []schema.Block) written {
	var w written
	if native, ok := body.(*hclsyntax.Body); ok {
		for _, a := range native.Attributes {
			w.attrs = append(w.attrs, a.AsHCLAttribute())
		}
		for _, b := range native.Blocks {
			w.blocks = append(w.blocks, b.AsHCLBlock())
			w.bodies = append(w.bodies, hcl.RangeBetween(b.OpenBraceRange, b.CloseBraceRange))
		}
	} else {
		s := &hcl.BodySchema{}
		for _, b := range blocks {
			h := hcl.BlockHeaderSchema{Type: b.Type}
			for _, label := range b.Labels {
				if !label.Optional {
					h.LabelNames = append(h.LabelNames, label.Name)
				}
			}
			s.Blocks = append(s.Blocks, h)
		}
		content, rest, diags := body.PartialContent(s)
		l.diags = append(l.diags, diags...)
		if content != nil {
			w.blocks = content.Blocks
		}
		if rest != nil {
			attrs, diags := rest.JustAttributes()
			l.diags = append(l.diags, diags...)
			for _, a := range attrs {
				w.attrs = append(w.attrs, a)
			}
		}
	}
	// HCL hands arguments over as a map; the order of writing is the order of axes.
	sort.Slice(w.attrs, func(i, j int) bool { return w.attrs[i].Range.Start.Byte < w.attrs[j].Range.Start.Byte })
	return w
}

func (l *loader) checkLabels(n *node, b *hcl.Block) bool {
	var need []string
	least := 0
	for _, label := range n.spec.Labels {
		need = append(need, strings.ToUpper(label.Name))
		if !label.Optional {
			least++
		}
	}
	if len(b.Labels) < least || len(b.Labels) > len(n.spec.Labels) {
		form := n.spec.Type
		for _, name := range need {
			form += fmt.Sprintf(" %q", name)
		}
		l.fail(&b.DefRange, "Wrong number of labels", "Write %s { ... }; here %s.", form, labels(len(b.Labels)))
		return false
	}
	ok := true
	for i, label := range n.spec.Labels {
		if i >= len(b.Labels) {
			break
		}
		rng := b.LabelRanges[i]
		switch {
		case label.Kind:
			n.stub = !l.selectKind(n, b.Labels[i], &rng)
		case label.Declares && !validName(b.Labels[i]):
			l.fail(&rng, "Invalid name", "%s", nameRule(b.Labels[i]))
			ok = false
		}
	}
	if ok && n.spec.NotBuilt != "" {
		l.notBuilt(n, &b.DefRange, n.spec.NotBuilt)
	}
	return ok
}

func labels(n int) string {
	switch n {
	case 0:
		return "is no label"
	case 1:
		return "is 1 label"
	}
	return fmt.Sprintf("are %d labels", n)
}

// notBuilt reports a block that parses but does nothing yet. Where results
// are complete without it, that is a warning.
func (l *loader) notBuilt(n *node, rng *hcl.Range, what string) {
	d := problem(rng, "Not built yet", "%s.", upperFirst(what))
	switch n.spec.Type {
	case "host", "link":
		d.Severity = hcl.DiagWarning
		d.Detail += " Cells that need it are skipped, and say so."
	}
	l.diags = append(l.diags, d)
}

// selectKind finds the kind that a label names; false if the block can't be used.
func (l *loader) selectKind(n *node, label string, rng *hcl.Range) bool {
	n.kind = n.spec.Kind(label)
	if n.kind != nil {
		if n.kind.NotBuilt != "" {
			l.notBuilt(n, rng, n.kind.NotBuilt)
			return n.spec.Type == "host"
		}
		return true
	}
	var names []string
	for _, k := range n.spec.Kinds {
		names = append(names, k.Name)
	}
	what := n.spec.Labels[0].Name
	l.fail(rng, "Unknown "+what, "There is no %s %q%s", what, label, suggest(label, names))
	return false
}

func (l *loader) unknownArgument(n *node, a *hcl.Attribute, blocks []schema.Block) {
	if findBlock(blocks, a.Name) != nil {
		l.fail(&a.NameRange, "Not an argument", "%q is a block in %s: write %s { ... } without the equals sign.", a.Name, n.where(), a.Name)
		return
	}
	var names []string
	for _, s := range n.spec.Attrs {
		names = append(names, s.Name)
	}
	if n.kind != nil {
		for _, s := range n.kind.Attrs {
			names = append(names, s.Name)
		}
	}
	n.meant = append(n.meant, spell.Nearest(a.Name, names))
	l.fail(&a.NameRange, "Unknown argument", "%s takes no argument %q%s", upperFirst(n.where()), a.Name, suggest(a.Name, names))
}

func (l *loader) unknownBlock(n *node, b *hcl.Block, blocks []schema.Block) {
	rng := b.TypeRange
	if n.spec.Attr(n.kind, b.Type) != nil && n.spec.Free == nil {
		l.fail(&rng, "Not a block", "%q is an argument of %s: write %s = ...", b.Type, n.where(), b.Type)
		return
	}
	l.fail(&rng, "Unknown block", "%s has no block %q%s", upperFirst(n.where()), b.Type, suggest(b.Type, blockTypes(blocks)))
}

func blockTypes(blocks []schema.Block) []string {
	var names []string
	for _, s := range blocks {
		names = append(names, s.Type)
	}
	return names
}

// nearestBlock is the type that a misspelled block was probably meant to have,
// or "".
func nearestBlock(name string, blocks []schema.Block) string {
	return spell.Nearest(name, blockTypes(blocks))
}

// suggest ends a sentence about an unknown name: with the name that was
// probably meant, or with all there are.
func suggest(name string, candidates []string) string {
	if near := spell.Nearest(name, candidates); near != "" {
		return fmt.Sprintf(". Did you mean %q?", near)
	}
	if len(candidates) == 0 {
		return "; there are none."
	}
	sorted := append([]string{}, candidates...)
	sort.Strings(sorted)
	if len(sorted) > 20 {
		return "."
	}
	return "; there are: " + strings.Join(sorted, ", ") + "."
}

// validName reports whether a scenario may declare the name. HCL allows "-"
// in names, which would make baseline-candidate ambiguous.
func validName(name string) bool {
	return hclsyntax.ValidIdentifier(name) && !strings.Contains(name, "-") && len(name) <= 64
}

func nameRule(name string) string {
	if strings.Contains(name, "-") {
		return fmt.Sprintf("%q: a name may not contain \"-\", which formulas need for subtraction. Write %q.", name, strings.ReplaceAll(name, "-", "_"))
	}
	return fmt.Sprintf("%q: a name is letters, digits and \"_\", begins with a letter, and has at most 64 characters.", name)
}
