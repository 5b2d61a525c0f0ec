package dsl

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// HCL's parser recurses without a bound, and a stack overflow can't be caught;
// numbers like 1e1000000 take it minutes. So a file is measured on its tokens,
// which are found without recursion, before it is parsed. The limits are far
// above what a person writes.
const (
	maxSource = 1 << 20  // bytes in a file
	maxTokens = 200_000  // tokens in a file
	maxDepth  = 250      // brackets, templates, signs and conditionals inside each other
	maxChain  = 1000     // operators in one expression, those around it included
	maxString = 64 << 10 // bytes in one text
	maxPieces = 10_000   // lines and escapes in one text: the parser's time grows with their square
	maxDigits = 100      // characters of a number

	maxReports = 10 // mistakes reported of one kind
)

// checkSource refuses a file that the HCL parser must not see: too large, not
// UTF-8, nested too deep, or with numbers beyond float64. Its time is linear
// in the size of src. A name that ends in .json means HCL's JSON syntax. If the
// result has errors, src must not be parsed.
func checkSource(name string, src []byte) hcl.Diagnostics {
	c := &checker{name: name, src: src}
	switch {
	case len(src) > maxSource:
		c.fail(c.at(0, 0), "File too large",
			"A scenario file may have at most 1 MiB; this one has %d bytes. Recorded data belongs in a file that a dataset reads.", len(src))
	case !c.checkEncoding():
	case strings.HasSuffix(name, ".json"):
		c.checkJSON()
	default:
		tokens, _ := hclsyntax.LexConfig(src, name, hcl.InitialPos) // the parser reports what the lexer dislikes
		c.checkTokens(tokens, nil)
	}
	return c.diags
}

type checker struct {
	name    string
	src     []byte
	diags   hcl.Diagnostics
	numbers int // bad numbers reported
	strings int // long strings reported
}

func (c *checker) fail(at hcl.Range, summary, detail string, args ...any) {
	c.diags = append(c.diags, &hcl.Diagnostic{
		Severity: hcl.DiagError, Summary: summary, Detail: fmt.Sprintf(detail, args...), Subject: &at,
	})
}

// at returns the range of src[from:to].
func (c *checker) at(from, to int) hcl.Range {
	// The scanner takes everything at once and counts lines and columns as HCL does.
	all := func(data []byte, _ bool) (int, []byte, error) { return len(data), data, nil }
	pos := func(offset int) hcl.Pos {
		scanner := hcl.NewRangeScanner(c.src[:offset], c.name, all)
		if !scanner.Scan() {
			return hcl.InitialPos
		}
		p := scanner.Range().End
		p.Byte = offset
		return p
	}
	return hcl.Range{Filename: c.name, Start: pos(from), End: pos(to)}
}

func (c *checker) checkEncoding() bool {
	if bytes.HasPrefix(c.src, []byte("\xff\xfe")) || bytes.HasPrefix(c.src, []byte("\xfe\xff")) {
		c.fail(c.at(0, 0), "File is not UTF-8", "The file is UTF-16. Save it as UTF-8.")
		return false
	}
	for i := 0; i < len(c.src); {
		r, size := utf8.DecodeRune(c.src[i:])
		if r == utf8.RuneError && size == 1 {
			c.fail(c.at(i, i+1), "File is not UTF-8", "The byte 0x%02x here is not part of a character. Save the file as UTF-8.", c.src[i])
			return false
		}
		i += size
	}
	return true
}

// checkTokens measures the tokens of native syntax. within is the place to
// report when the tokens are of a template inside a JSON string, else nil.
// It returns false if the file must not be parsed whatever else is right.
func (c *checker) checkTokens(tokens hclsyntax.Tokens, within func() hcl.Range) bool {
	place := func(t hclsyntax.Token) hcl.Range {
		if within != nil {
			return within()
		}
		return t.Range
	}
	if len(tokens) > maxTokens {
		c.fail(place(tokens[maxTokens]), "File too long", "A scenario file may have at most %d words and signs.", maxTokens)
		return false
	}
	var n nesting
	for i, t := range tokens {
		n.take(tokens, i)
		if n.depth > maxDepth {
			c.fail(place(t), "Nesting too deep",
				"Brackets, templates, signs and conditionals may be inside each other at most %d times.", maxDepth)
			return false
		}
		if n.chain > maxChain {
			c.fail(place(t), "Expression too long", "One expression may have at most %d operators.", maxChain)
			return false
		}
		if t.Type == hclsyntax.TokenNumberLit {
			c.checkNumber(t.Bytes, func() hcl.Range { return place(t) })
		}
		if n.long {
			c.failString(place(n.top().open))
		}
	}
	return true
}

func (c *checker) failString(at hcl.Range) {
	if c.strings++; c.strings <= maxReports {
		c.fail(at, "Text too long", "One text may have at most 64 KiB and 10,000 lines. Put a longer one into a file, and read it with file().")
	}
}

func (c *checker) checkNumber(text []byte, at func() hcl.Range) {
	why := ""
	if len(text) > maxDigits {
		why = fmt.Sprintf("A number may have at most %d digits.", maxDigits)
	} else if v, err := strconv.ParseFloat(string(text), 64); errors.Is(err, strconv.ErrRange) {
		why = "It is above the largest number, about 1.8e308."
	} else if mantissa, _, _ := bytes.Cut(bytes.ToLower(text), []byte("e")); err == nil && v == 0 && bytes.ContainsAny(mantissa, "123456789") {
		why = "It is below the smallest number above zero, about 4.9e-324."
	}
	if why == "" {
		return
	}
	if c.numbers++; c.numbers <= maxReports {
		c.fail(at(), "Number out of range", "%s", why)
	}
}

// nesting follows the depth that the parser will reach, token by token.
type nesting struct {
	frames []frame
	depth  int // open brackets, templates, signs and conditionals
	chain  int // operators pending
	// long says that the text at hand has just become longer than the limits.
	long bool
}

// frame is one open bracket or template.
type frame struct {
	open hclsyntax.Token
	// What this level adds to depth and chain beside the bracket itself.
	conditionals, directives, signs, operators int
	text, pieces                               int // bytes and tokens of a quoted text or heredoc so far
}

func (n *nesting) top() *frame {
	if len(n.frames) == 0 {
		n.frames = append(n.frames, frame{}) // the file itself
	}
	return &n.frames[len(n.frames)-1]
}

// closers maps what closes to what it closes. One '}' may close a template.
var closers = map[hclsyntax.TokenType][]hclsyntax.TokenType{
	hclsyntax.TokenCBrace:         {hclsyntax.TokenOBrace},
	hclsyntax.TokenCBrack:         {hclsyntax.TokenOBrack},
	hclsyntax.TokenCParen:         {hclsyntax.TokenOParen},
	hclsyntax.TokenCQuote:         {hclsyntax.TokenOQuote},
	hclsyntax.TokenCHeredoc:       {hclsyntax.TokenOHeredoc},
	hclsyntax.TokenTemplateSeqEnd: {hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl},
}

func (n *nesting) take(tokens hclsyntax.Tokens, i int) {
	t, top := tokens[i], n.top()
	n.long = false
	switch t.Type {
	case hclsyntax.TokenOBrace, hclsyntax.TokenOBrack, hclsyntax.TokenOParen, hclsyntax.TokenOQuote,
		hclsyntax.TokenOHeredoc, hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
		if t.Type == hclsyntax.TokenOBrack { // a[i][j] nests as a chain of operators does
			top.operators++
			n.chain++
		}
		n.frames = append(n.frames, frame{open: t})
		n.depth++
	case hclsyntax.TokenCBrace, hclsyntax.TokenCBrack, hclsyntax.TokenCParen, hclsyntax.TokenCQuote,
		hclsyntax.TokenCHeredoc, hclsyntax.TokenTemplateSeqEnd:
		n.close(closers[t.Type])
	case hclsyntax.TokenComma:
		n.clear(top)
	case hclsyntax.TokenNewline:
		if len(n.frames) == 1 || top.open.Type == hclsyntax.TokenOBrace {
			n.clear(top)
		}
	case hclsyntax.TokenQuestion:
		top.conditionals++
		n.depth++
	case hclsyntax.TokenBang, hclsyntax.TokenMinus:
		if i == 0 || !endsOperand(tokens[i-1].Type) {
			top.signs++
			n.depth++
			return
		}
		top.operators++
		n.chain++
	case hclsyntax.TokenPlus, hclsyntax.TokenStar, hclsyntax.TokenSlash, hclsyntax.TokenPercent,
		hclsyntax.TokenAnd, hclsyntax.TokenOr, hclsyntax.TokenEqualOp, hclsyntax.TokenNotEqual,
		hclsyntax.TokenLessThan, hclsyntax.TokenLessThanEq, hclsyntax.TokenGreaterThan, hclsyntax.TokenGreaterThanEq:
		top.operators++
		n.chain++
	case hclsyntax.TokenNumberLit, hclsyntax.TokenIdent:
		n.depth -= top.signs
		top.signs = 0
		if i > 0 && tokens[i-1].Type == hclsyntax.TokenTemplateControl {
			n.directive(string(t.Bytes))
		}
	case hclsyntax.TokenQuotedLit, hclsyntax.TokenStringLit:
		if len(n.frames) > 1 {
			before := top.text > maxString || top.pieces > maxPieces
			top.text += len(t.Bytes)
			top.pieces++
			n.long = !before && (top.text > maxString || top.pieces > maxPieces)
		}
	}
}

// directive counts %{ if } and %{ for }, which nest in the text around them
// without a bracket.
func (n *nesting) directive(word string) {
	if len(n.frames) < 2 {
		return
	}
	text := &n.frames[len(n.frames)-2]
	switch word {
	case "if", "for":
		text.directives++
		n.depth++
	case "endif", "endfor":
		if text.directives > 0 {
			text.directives--
			n.depth--
		}
	}
}

// close drops the frames down to the last one that one of opens opened. What
// closes nothing is left to the parser to report.
func (n *nesting) close(opens []hclsyntax.TokenType) {
	for i := len(n.frames) - 1; i > 0; i-- {
		for _, open := range opens {
			if n.frames[i].open.Type != open {
				continue
			}
			for j := i; j < len(n.frames); j++ {
				f := &n.frames[j]
				n.clear(f)
				n.depth -= 1 + f.directives
			}
			n.frames = n.frames[:i]
			return
		}
	}
}

// clear forgets what an expression added to its frame, at its end.
func (n *nesting) clear(f *frame) {
	n.depth -= f.conditionals + f.signs
	n.chain -= f.operators
	f.conditionals, f.signs, f.operators = 0, 0, 0
}

func endsOperand(t hclsyntax.TokenType) bool {
	switch t {
	case hclsyntax.TokenIdent, hclsyntax.TokenNumberLit, hclsyntax.TokenCParen, hclsyntax.TokenCBrack,
		hclsyntax.TokenCBrace, hclsyntax.TokenCQuote, hclsyntax.TokenCHeredoc, hclsyntax.TokenTemplateSeqEnd:
		return true
	}
	return false
}
