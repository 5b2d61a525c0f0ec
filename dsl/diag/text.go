package diag

import (
	"fmt"
	"io"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// Options says how text is laid out.
type Options struct {
	Color bool // ANSI colours
	Width int  // columns to wrap details and shorten source lines at; 0 means 80
}

const (
	red    = "\x1b[1;31m"
	yellow = "\x1b[1;33m"
	bold   = "\x1b[1m"
	plain  = "\x1b[0m"
)

// Text writes diagnostics for people, sorted by place, and a line that counts
// them. sources holds the files by the names that the diagnostics use; of a
// file that is not in it only the place is shown. Without diagnostics nothing
// is written. The error is that of w.
func Text(w io.Writer, diags hcl.Diagnostics, sources map[string][]byte, options Options) error {
	if options.Width <= 0 {
		options.Width = 80
	}
	options.Width = max(options.Width, 40)
	t := &texter{files: newLibrary(sources), Options: options}
	diags = ordered(diags)
	for _, d := range diags {
		t.diagnostic(d)
	}
	if len(diags) > 0 {
		t.line("%s", Summary(diags))
	}
	_, err := io.WriteString(w, t.out.String())
	return err
}

// Summary counts diagnostics in words: "3 errors, 1 warning".
func Summary(diags hcl.Diagnostics) string {
	errors, warnings := count(diags)
	var parts []string
	for _, c := range []struct {
		n         int
		one, many string
	}{{errors, "error", "errors"}, {warnings, "warning", "warnings"}, {len(diags) - errors - warnings, "info", "infos"}} {
		if c.n == 1 {
			parts = append(parts, "1 "+c.one)
		} else if c.n > 1 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.many))
		}
	}
	if len(parts) == 0 {
		return "no errors"
	}
	return strings.Join(parts, ", ")
}

type texter struct {
	out   strings.Builder
	files *library
	Options
}

func (t *texter) line(format string, args ...any) {
	fmt.Fprintf(&t.out, format, args...)
	t.out.WriteByte('\n')
}

func (t *texter) paint(color, text string) string {
	if !t.Color || text == "" {
		return text
	}
	return color + text + plain
}

func (t *texter) diagnostic(d *hcl.Diagnostic) {
	word, color := "Error", red
	switch d.Severity {
	case hcl.DiagWarning:
		word, color = "Warning", yellow
	case Info:
		word, color = "Info", bold
	}
	t.line("%s %s", t.paint(color, word+":"), t.paint(bold, oneLine(d.Summary)))
	t.line("")
	if d.Subject != nil && d.Subject.Filename != "" {
		t.place(d, color)
		t.line("")
	}
	if values := values(d); len(values) > 0 {
		for _, v := range values {
			t.line("  with %s %s", v.Traversal, v.Statement)
		}
		t.line("")
	}
	if d.Detail != "" {
		for _, line := range wrap(harmless(d.Detail), t.Width-2) {
			t.line("%s", strings.TrimRight("  "+line, " "))
		}
		t.line("")
	}
}

// place writes where d is: file, line, block, and the source underlined.
func (t *texter) place(d *hcl.Diagnostic, color string) {
	where := fmt.Sprintf("  on %s line %d", oneLine(d.Subject.Filename), d.Subject.Start.Line)
	s := t.files.source(d.Subject.Filename)
	if s == nil {
		t.line("%s", where)
		return
	}
	from, to := s.clamp(*d.Subject)
	if block := s.enclosing(from); block != "" {
		where += ", in " + shorten(block, t.Width)
	}
	t.line("%s:", where)

	first := s.lineOf(from)
	last := max(first, s.lineOf(max(to-1, from)))
	const most = 6 // lines shown of a long range
	for i := first; i <= last; i++ {
		if last-first >= most && i == first+most/2 {
			t.line("%5s |", "...")
			i = last - most/2 + 1
		}
		t.sourceLine(s, i, from, to, color)
	}
}

// sourceLine writes one line of the source, and beneath it the signs that
// underline the part between the bytes from and to.
func (t *texter) sourceLine(s *source, i, from, to int, color string) {
	text, start := s.line(i)
	a := min(max(from-start, 0), len(text))
	b := min(max(to-start, a), len(text))
	if i > s.lineOf(from) { // not the indentation of further lines
		a = min(b, max(a, len(text)-len(strings.TrimLeft(string(text), " \t"))))
	}
	before, after := text[:a], text[b:]
	before, marked, after := window(before, text[a:b], after, t.Width-10)

	lead, leadWidth := shown(before, 0)
	middle, width := shown(marked, leadWidth)
	tail, _ := shown(after, leadWidth+width)
	t.line("%s", strings.TrimRight(fmt.Sprintf("%5d | %s%s%s", i+1, lead, t.paint(bold, middle), tail), " "))
	if width > 0 || i == s.lineOf(from) { // an empty range is between two signs, or at the end
		t.line("%5s | %s%s", "", strings.Repeat(" ", leadWidth), t.paint(color, strings.Repeat("^", max(width, 1))))
	}
}

// window shortens a source line to about width columns around the marked part.
func window(before, marked, after []byte, width int) (b, m, a []byte) {
	const dots = "…"
	if len(before)+len(marked)+len(after) <= width {
		return before, marked, after
	}
	if len(marked) > width*2/3 {
		marked = append(cutEnd(marked, width*2/3), dots...)
	}
	room := max(width-len(marked), 0)
	if len(before) > room/2 && len(before)+len(after) > room {
		before = append([]byte(dots), cutStart(before, max(room/2, room-len(after)))...)
	}
	if room -= len(before); len(after) > max(room, 0) {
		after = append(cutEnd(after, max(room, 0)), dots...)
	}
	return before, marked, after
}

// cutEnd and cutStart keep at most n bytes of text, and whole characters.
func cutEnd(text []byte, n int) []byte {
	n = min(n, len(text))
	for n > 0 && n < len(text) && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n:n]
}

func cutStart(text []byte, n int) []byte {
	from := max(len(text)-n, 0)
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	return text[from:]
}

func shorten(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return string(cutEnd([]byte(text), n)) + "…"
}

func oneLine(text string) string {
	return strings.NewReplacer("\n", " ", "\t", " ").Replace(harmless(text))
}

// wrap breaks text into lines of at most width columns, at spaces. Lines that
// begin with a space are kept as they are: they are lists or code.
func wrap(text string, width int) []string {
	var lines []string
	for _, paragraph := range strings.Split(strings.TrimSpace(text), "\n") {
		if strings.HasPrefix(paragraph, " ") || strings.HasPrefix(paragraph, "\t") {
			expanded, _ := shown([]byte(paragraph), 0)
			lines = append(lines, expanded)
			continue
		}
		line, used := "", 0
		for _, word := range strings.Fields(paragraph) {
			w := narrow.StringWidth(word)
			if used > 0 && used+1+w > width {
				lines = append(lines, line)
				line, used = "", 0
			}
			if used > 0 {
				line, used = line+" ", used+1
			}
			line, used = line+word, used+w
		}
		lines = append(lines, line)
	}
	return lines
}

// value is what a name in the expression of a diagnostic stands for.
type value struct {
	Traversal string `json:"traversal"`
	Statement string `json:"statement"`
}

// values returns the values of the names in the expression of d, in the order
// of the names, if d came with them.
func values(d *hcl.Diagnostic) []value {
	if d.Expression == nil || d.EvalContext == nil {
		return nil
	}
	const most = 8
	var out []value
	seen := map[string]bool{}
	for _, traversal := range d.Expression.Variables() {
		name := traversalText(traversal)
		v, diags := traversal.TraverseAbs(d.EvalContext)
		if seen[name] || diags.HasErrors() {
			continue
		}
		seen[name] = true
		if statement := statement(v); statement != "" {
			out = append(out, value{name, statement})
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Traversal < out[j].Traversal })
	return out[:min(len(out), most)]
}

func traversalText(traversal hcl.Traversal) string {
	var b strings.Builder
	for _, step := range traversal {
		switch step := step.(type) {
		case hcl.TraverseRoot:
			b.WriteString(step.Name)
		case hcl.TraverseAttr:
			b.WriteString("." + step.Name)
		case hcl.TraverseIndex:
			b.WriteString("[" + statementOfIndex(step.Key) + "]")
		default:
			b.WriteString("[...]")
		}
	}
	return shorten(oneLine(b.String()), 60)
}

func statementOfIndex(key cty.Value) string {
	if text := strings.TrimPrefix(statement(key), "= "); text != "" {
		return text
	}
	return "..."
}

// statement says in a few words what v is; "" for what does not help.
func statement(v cty.Value) string {
	if v.IsMarked() {
		return "(sensitive)"
	}
	switch {
	case !v.IsKnown():
		if v.Type() == cty.DynamicPseudoType {
			return ""
		}
		return "(a " + v.Type().FriendlyName() + ", known later)"
	case v.IsNull():
		return "= null"
	case v.Type() == cty.Bool:
		return fmt.Sprintf("= %t", v.True())
	case v.Type() == cty.Number:
		return "= " + v.AsBigFloat().Text('g', 10)
	case v.Type() == cty.String:
		return "= " + shorten(fmt.Sprintf("%q", harmless(v.AsString())), 60)
	case v.CanIterateElements():
		word := "elements"
		if v.LengthInt() == 1 {
			word = "element"
		}
		if v.Type().IsObjectType() {
			return "" // a whole block says nothing
		}
		return fmt.Sprintf("(a %s with %d %s)", v.Type().FriendlyNameForConstraint(), v.LengthInt(), word)
	}
	return ""
}
