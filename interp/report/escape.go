package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean makes text from outside (labels, errors of workers, flags) safe to
// print: what a terminal would obey, or what would reorder or hide text, is
// shown as an escape instead.
func clean(s string) string {
	if strings.IndexFunc(s, unsafeRune) < 0 && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case unsafeRune(r) && r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case unsafeRune(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// unsafeRune is true for control characters, and for the invisible format
// characters (Cf) among which are the ones that turn the direction of text.
func unsafeRune(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}

var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`,
	"<", "&lt;", ">", "&gt;", "&", "&amp;", "~", `\~`, "#", `\#`, "$", `\$`,
)

// markdown makes text from outside mean itself in Markdown.
func markdown(s string) string { return markdownEscapes.Replace(clean(s)) }

// csvText keeps a spreadsheet from taking a text for a formula (OWASP, CSV
// injection): one that begins like a formula gets an apostrophe before it.
func csvText(s string) string {
	s = clean(s)
	if s != "" && strings.ContainsRune("=+-@|%", rune(s[0])) {
		return "'" + s
	}
	return s
}
