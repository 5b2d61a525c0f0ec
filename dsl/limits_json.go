package dsl

import (
	"bytes"
	"encoding/json"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// checkJSON measures HCL's JSON syntax: it finds tokens as HCL's scanner does,
// and looks into each text, which is a template of the native syntax.
func (c *checker) checkJSON() {
	if bytes.HasPrefix(c.src, []byte("\ufeff")) {
		c.fail(c.at(0, 3), "Byte order mark in JSON", "JSON must not begin with a byte order mark. Save the file as UTF-8 without it.")
		return
	}
	depth, tokens := 0, 0
	for i := 0; i < len(c.src); {
		from := i
		switch b := c.src[i]; {
		case b == ' ' || b == '\t' || b == '\n' || b == '\r':
			i++
			continue
		case b == '"':
			i = endOfJSONString(c.src, i)
			if !c.checkJSONString(from, i) {
				return
			}
		case bytes.IndexByte([]byte("-+.0123456789"), b) >= 0:
			for i < len(c.src) && bytes.IndexByte([]byte("-+.eE0123456789"), c.src[i]) >= 0 {
				i++
			}
			c.checkNumber(c.src[from:i], func() hcl.Range { return c.at(from, i) })
		case b == '[' || b == '{':
			i++
			if depth++; depth > maxDepth {
				c.fail(c.at(from, i), "Nesting too deep", "Arrays and objects may be inside each other at most %d times.", maxDepth)
				return
			}
		case b == ']' || b == '}':
			i++
			if depth > 0 {
				depth--
			}
		default:
			i++
		}
		if tokens++; tokens > maxTokens {
			c.fail(c.at(from, i), "File too long", "A scenario file may have at most %d words and signs.", maxTokens)
			return
		}
	}
}

// endOfJSONString returns the index behind the string that starts at i. A
// control character ends it, as in HCL's scanner.
func endOfJSONString(src []byte, i int) int {
	for i++; i < len(src) && src[i] >= ' '; i++ {
		switch src[i] {
		case '\\':
			if i+1 < len(src) && src[i+1] >= ' ' {
				i++
			}
		case '"':
			return i + 1
		}
	}
	return i
}

func (c *checker) checkJSONString(from, to int) bool {
	if to-from > maxString {
		c.failString(c.at(from, to))
		return false // its template has not been looked at
	}
	raw := c.src[from:to]
	if !bytes.Contains(raw, []byte("{")) && !bytes.Contains(raw, []byte(`\u`)) {
		return true // no template
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return true // the parser reports it, and evaluates nothing
	}
	tokens, _ := hclsyntax.LexTemplate([]byte(text), c.name, hcl.InitialPos)
	return c.checkTokens(tokens, func() hcl.Range { return c.at(from, to) })
}
