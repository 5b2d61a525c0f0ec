package dsl

import (
	"fmt"
	"sort"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// checkParsed reports what HCL's parser accepts in silence: an object that
// names a key twice, of which the last would count. JSON syntax is checked by
// HCL itself.
func checkParsed(file *hcl.File) hcl.Diagnostics {
	body, ok := file.Body.(*hclsyntax.Body)
	if !ok {
		return nil
	}
	return hclsyntax.VisitAll(body, func(node hclsyntax.Node) hcl.Diagnostics {
		if object, ok := node.(*hclsyntax.ObjectConsExpr); ok {
			return duplicateKeys(object)
		}
		return nil
	})
}

func duplicateKeys(object *hclsyntax.ObjectConsExpr) hcl.Diagnostics {
	var diags hcl.Diagnostics
	first := map[string]hcl.Range{}
	for _, item := range object.Items {
		if len(item.KeyExpr.Variables()) > 0 {
			continue
		}
		value, keyDiags := item.KeyExpr.Value(nil)
		if keyDiags.HasErrors() || !value.IsKnown() || value.IsNull() || value.Type() != cty.String {
			continue
		}
		key := value.AsString() // in Unicode's normal form C, as the object will have it
		if before, ok := first[key]; ok {
			diags = append(diags, &hcl.Diagnostic{
				Severity: hcl.DiagError, Summary: "Duplicate key",
				Detail:  fmt.Sprintf("The key %q is in this object already, at line %d. Remove one of the two.", key, before.Start.Line),
				Subject: item.KeyExpr.Range().Ptr(), Context: object.SrcRange.Ptr(),
			})
			continue
		}
		first[key] = item.KeyExpr.Range()
	}
	return diags
}

// improve rewrites messages of HCL's parser that don't say what to do: about
// 5ms or 10% without quotes, and about what other languages allow. Messages
// that it does not know stay as they are; of two about the same mistake, the
// clearer one stays.
func improve(diags hcl.Diagnostics, src []byte) hcl.Diagnostics {
	if !diags.HasErrors() {
		return diags
	}
	tokens, _ := hclsyntax.LexConfig(src, "", hcl.InitialPos)
	var out hcl.Diagnostics
	told := map[int]bool{} // by byte: places with a message that says what to do
	for _, d := range diags {
		if d.Subject == nil || d.Severity != hcl.DiagError {
			out = append(out, d)
			continue
		}
		start := d.Subject.Start.Byte
		i := sort.Search(len(tokens), func(i int) bool { return tokens[i].Range.Start.Byte >= start })
		h, ok := hintAt(tokens, i, d.Summary)
		switch {
		case ok:
			if at := h.at.Start.Byte; !told[at] {
				told[at], told[start] = true, true
				h.at.Filename = d.Subject.Filename
				out = append(out, &hcl.Diagnostic{Severity: hcl.DiagError, Summary: h.summary, Detail: h.detail, Subject: &h.at})
			}
		case told[start]:
		default:
			told[start] = d.Summary == "Invalid character"
			out = append(out, d)
		}
	}
	return out
}

type hint struct {
	summary, detail string
	at              hcl.Range
}

// hintAt returns what to say about the parser's message at token i.
func hintAt(tokens hclsyntax.Tokens, i int, summary string) (hint, bool) {
	token := func(i int) hclsyntax.Token {
		if i < 0 || i >= len(tokens) {
			return hclsyntax.Token{}
		}
		return tokens[i]
	}
	t, before, after := token(i), token(i-1), token(i+1)
	at := func(from, to hclsyntax.Token) hcl.Range { return hcl.RangeBetween(from.Range, to.Range) }
	joined := before.Range.End.Byte == t.Range.Start.Byte

	switch {
	case t.Type == hclsyntax.TokenIdent && before.Type == hclsyntax.TokenNumberLit:
		return quantity(tokens, i), true

	case t.Type == hclsyntax.TokenIdent && (string(t.Bytes) == "and" || string(t.Bytes) == "or"):
		sign := map[string]string{"and": "&&", "or": "||"}[string(t.Bytes)]
		return hint{"Unknown operator", fmt.Sprintf("Write %s instead of %q.", sign, t.Bytes), t.Range}, true

	case t.Type == hclsyntax.TokenIdent && string(before.Bytes) == "not":
		return hint{"Unknown operator", `Write ! instead of "not".`, before.Range}, true

	case (summary == "Invalid expression" || summary == "Missing expression") && before.Type == hclsyntax.TokenPercent && token(i-2).Type == hclsyntax.TokenNumberLit:
		number := token(i - 2)
		return hint{"Percent sign after a number",
			fmt.Sprintf("Here %% is the remainder of a division. Write a share as a number from 0 to 1, %s%% as %s / 100; where a text is wanted, write \"%s%%\" in quotes.",
				number.Bytes, number.Bytes, number.Bytes), at(number, before)}, true

	case t.Type == hclsyntax.TokenApostrophe:
		return apostrophes(tokens, i), true

	case summary == "Invalid expression" && t.Type == hclsyntax.TokenStar && before.Type == hclsyntax.TokenStar && joined:
		return hint{"Unknown operator", "There is no operator **. Write pow(a, b).", at(before, t)}, true

	case summary == "Invalid expression" && t.Type == hclsyntax.TokenDot && after.Type == hclsyntax.TokenNumberLit:
		return hint{"Invalid number", fmt.Sprintf("A number needs a digit before the point: write 0.%s.", after.Bytes), at(t, after)}, true

	case summary == "Invalid expression" && t.Type == hclsyntax.TokenPlus:
		return hint{"Unknown operator", "There is no + before a number. Leave it out.", t.Range}, true

	case summary == "Argument or block definition required" && t.Type == hclsyntax.TokenIdent &&
		(after.Type == hclsyntax.TokenColon || after.Type == hclsyntax.TokenEqualOp):
		return hint{"Argument without =", fmt.Sprintf("Write one equals sign between the name and the value: %s = ...", t.Bytes), at(t, after)}, true
	}
	return hint{}, false
}

// quantity explains a number that is directly followed by the name at token i:
// 5ms, 56kbit/s, 0x10, 1_000.
func quantity(tokens hclsyntax.Tokens, i int) hint {
	number, unit := tokens[i-1], tokens[i]
	last := i
	if i+2 < len(tokens) && tokens[i+1].Type == hclsyntax.TokenSlash && tokens[i+2].Type == hclsyntax.TokenIdent &&
		tokens[i+2].Range.Start.Byte == unit.Range.End.Byte+1 {
		last = i + 2
	}
	text := string(number.Bytes)
	for _, t := range tokens[i : last+1] {
		text += string(t.Bytes)
	}
	h := hint{at: hcl.RangeBetween(number.Range, tokens[last].Range)}
	rest := string(unit.Bytes)
	switch {
	case number.Range.End.Byte != unit.Range.Start.Byte:
		h.summary, h.detail = "Unexpected name after a number",
			fmt.Sprintf("If %q is a unit, write the quantity as a text in quotes: %q. Otherwise a comma, an operator or a new line is missing.", rest, string(number.Bytes)+rest)
	case strings.HasPrefix(rest, "_"):
		h.summary, h.detail = "Invalid number", fmt.Sprintf("Write %s without %q.", strings.ReplaceAll(text, "_", ""), "_")
	case text[0] == '0' && len(number.Bytes) == 1 && strings.ContainsAny(rest[:1], "xXbo"):
		h.summary, h.detail = "Invalid number", "Numbers are decimal."
	default:
		h.summary, h.detail = "Quantity without quotes", fmt.Sprintf("Write %q in quotes: a number with a unit is a text.", text)
	}
	return h
}

// apostrophes explains 'text', whose first sign is token i.
func apostrophes(tokens hclsyntax.Tokens, i int) hint {
	h := hint{"Single quotes", `Write texts in double quotes: "text".`, tokens[i].Range}
	var text strings.Builder
	end := tokens[i].Range.End.Byte
	for _, t := range tokens[i+1:] {
		if t.Range.Start.Line != tokens[i].Range.Start.Line {
			break
		}
		if t.Type == hclsyntax.TokenApostrophe {
			h.at = hcl.RangeBetween(tokens[i].Range, t.Range)
			h.detail = fmt.Sprintf("Write a text in double quotes: %q.", text.String())
			break
		}
		text.WriteString(strings.Repeat(" ", t.Range.Start.Byte-end))
		text.Write(t.Bytes)
		end = t.Range.End.Byte
	}
	return h
}
