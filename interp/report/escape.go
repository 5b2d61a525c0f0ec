package report

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean makes text from outside (labels, errors of workers, flags) safe to
// print: what a terminal would obey, or what would reorder or hide text, is
// shown as an escape instead. So is ##[, by which a line of a build's log is a
// command of GitHub's, wherever in the line it stands.
func clean(s string) string {
	s = strings.ReplaceAll(s, "##[", `#\x23[`)
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

var (
	// markdownStart is what begins a list, a line or a heading.
	markdownStart = regexp.MustCompile(`^([0-9]{1,9})?([-+.)])(\s|$)|^([-=])([-=\s]*)$`)
	// markdownReference is where GitHub begins to make a link, a mention, a
	// reference or a picture of plain text; it looks at the text after escapes.
	markdownReference = regexp.MustCompile(`(@|\\#|(?i:GH-))([0-9A-Za-z])|(:)(//)|((?i:www))(\.)|(:)([a-z0-9+-]+:)`)
)

// markdown makes text from outside mean itself in Markdown, wherever it stands:
// it begins no block, and calls nobody. An empty comment, which is not seen,
// keeps GitHub's references apart.
func markdown(s string) string {
	s = markdownEscapes.Replace(strings.TrimSpace(clean(s)))
	s = markdownStart.ReplaceAllString(s, `$1\$2$3$4$5`)
	return markdownReference.ReplaceAllString(s, "$1$3$5$7<!-- -->$2$4$6$8")
}

// csvText keeps a spreadsheet from taking a text for a formula (OWASP, CSV
// injection): one that begins like a formula, in whatever width, gets an
// apostrophe before it.
func csvText(s string) string {
	s = clean(s)
	if t := strings.TrimSpace(s); t != "" && strings.ContainsRune("=+-@|%＝＋－＠", []rune(t)[0]) {
		return "'" + s
	}
	return s
}

// logLine keeps a line in the log of a build from being a command of GitHub's,
// which begins with ::. clean deals with the other kind.
func logLine(s string) string {
	if strings.HasPrefix(strings.TrimLeft(s, " "), "::") {
		return strings.Replace(s, "::", `\::`, 1)
	}
	return s
}
