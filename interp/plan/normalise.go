package plan

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// normalise writes the source of an expression without comments and in one
// layout, so that two sources with the same tokens are written the same.
func normalise(source string) string {
	tokens, diags := hclsyntax.LexExpression([]byte(source), "", hcl.InitialPos)
	if diags.HasErrors() {
		return strings.TrimSpace(source)
	}
	tokens = significant(tokens)
	var b strings.Builder
	for i, t := range tokens {
		if i > 0 && spaced(tokens[i-1].Type, t.Type) {
			b.WriteByte(' ')
		}
		b.Write(t.Bytes)
	}
	return b.String()
}

// significant removes comments and line breaks. In braces a line break
// separates like a comma, and is written as one.
func significant(tokens hclsyntax.Tokens) hclsyntax.Tokens {
	var out hclsyntax.Tokens
	var open []hclsyntax.TokenType
	for _, t := range tokens {
		switch t.Type {
		case hclsyntax.TokenComment:
			// A comment at the end of a line holds its line break.
			if !strings.HasSuffix(string(t.Bytes), "\n") {
				continue
			}
			t.Type = hclsyntax.TokenNewline
		case hclsyntax.TokenEOF:
			continue
		case hclsyntax.TokenOBrace, hclsyntax.TokenOBrack, hclsyntax.TokenOParen, hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
			open = append(open, t.Type)
		case hclsyntax.TokenCBrace, hclsyntax.TokenCBrack, hclsyntax.TokenCParen, hclsyntax.TokenTemplateSeqEnd:
			if n := len(out); n > 0 && out[n-1].Type == hclsyntax.TokenComma {
				out = out[:n-1]
			}
			open = open[:max(len(open)-1, 0)]
		}
		if t.Type == hclsyntax.TokenNewline {
			if len(open) == 0 || open[len(open)-1] != hclsyntax.TokenOBrace || len(out) == 0 {
				continue
			}
			if last := out[len(out)-1].Type; last == hclsyntax.TokenOBrace || last == hclsyntax.TokenComma {
				continue
			}
			t.Type, t.Bytes = hclsyntax.TokenComma, []byte(",")
		}
		out = append(out, t)
	}
	return out
}

// spaced reports whether a space stands between two tokens.
func spaced(a, b hclsyntax.TokenType) bool {
	switch a {
	case hclsyntax.TokenOQuote, hclsyntax.TokenOHeredoc, hclsyntax.TokenQuotedLit, hclsyntax.TokenStringLit,
		hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl, hclsyntax.TokenTemplateSeqEnd,
		hclsyntax.TokenOParen, hclsyntax.TokenOBrack, hclsyntax.TokenDot, hclsyntax.TokenBang:
		return false
	}
	switch b {
	case hclsyntax.TokenCQuote, hclsyntax.TokenCHeredoc, hclsyntax.TokenQuotedLit, hclsyntax.TokenStringLit,
		hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl, hclsyntax.TokenTemplateSeqEnd,
		hclsyntax.TokenCParen, hclsyntax.TokenCBrack, hclsyntax.TokenComma:
		return false
	case hclsyntax.TokenDot: // after a number it would be a decimal point
		return a == hclsyntax.TokenNumberLit
	case hclsyntax.TokenOParen, hclsyntax.TokenOBrack:
		return a != hclsyntax.TokenIdent && a != hclsyntax.TokenCBrack && a != hclsyntax.TokenCParen
	}
	return true
}
