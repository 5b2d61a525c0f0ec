package lint

import (
	"fmt"
	"io"
	"strings"
)

// Title is the rule's name in full: "R05 best-half-odd-n".
func (r *Rule) Title() string { return r.ID + " " + r.Slug }

// Page explains the rule, in Markdown, without its heading.
func (r *Rule) Page() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n**Why.** %s\n\n**Source.** %s\n\n", r.What, r.Why, r.Source)
	fmt.Fprintf(&b, "Reported:\n\n```hcl\n%s\n```\n\nRight:\n\n```hcl\n%s\n```\n\n", strings.TrimSpace(r.Example), strings.TrimSpace(r.Cure))
	fmt.Fprintf(&b, "Severity: %s.", r.Severity)
	if r.Auto {
		b.WriteString(" `versus lint -fix` can mend it.")
	}
	b.WriteString("\n")
	return b.String()
}

// families are the letters of rules, in the order of Rules.
var families = []struct{ letter, name string }{
	{"R", "Repetition, warm-up, order"},
	{"L", "Load and tails"},
	{"C", "Clocks and recording"},
	{"F", "Fairness"},
	{"E", "Environment"},
	{"X", "Matrix and sweeps"},
	{"K", "Comparisons"},
	{"T", "Tables"},
	{"S", "Suppressions"},
}

const pagesIntro = `# Rules of the methodology linter

` + "`versus lint SCENARIO`" + ` reads a scenario, runs nothing, and reports what would make its results wrong or doubtful.
This page is written by ` + "`versus docs`" + ` from the rules themselves; ` + "`versus lint -explain R05`" + ` prints one.

An **error** makes a result wrong or meaningless, and ` + "`versus lint`" + ` exits with status 1; a **warning** makes it doubtful; an
**info** is good to know. Where a rule can't decide, because something is known only later, it says *not checked*, which
never fails. ` + "`versus lint -fix`" + ` mends what can be mended without changing what is meant, and keeps comments.

A finding that is right, but not here, is silenced with a reason: at its line or in a line of its own before it,

` + "```hcl" + `
repeat { runs = 3 } # lint:ignore R04 each run takes a night
` + "```" + `

(several rules: ` + "`# lint:ignore R03, R04 REASON`" + `), or in the whole scenario, where a rule can also get another severity:

` + "```hcl" + `
lint {
  rule "R05" {
    severity = "off"
    reason   = "The rule of the original, odd N included."
  }
}
` + "```" + `

`

// WritePages writes the pages of all rules as one Markdown file. The error is
// that of w.
func WritePages(w io.Writer, rules []*Rule) error {
	var b strings.Builder
	b.WriteString(pagesIntro)
	b.WriteString("| rule | severity | fix | finds |\n|---|---|---|---|\n")
	for _, r := range rules {
		fix := ""
		if r.Auto {
			fix = "auto"
		}
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s | %s |\n", r.Title(), strings.ToLower(r.ID)+"-"+r.Slug, r.Severity, fix, inTable(r.Summary()))
	}
	for _, f := range families {
		fmt.Fprintf(&b, "\n## %s\n", f.name)
		for _, r := range rules {
			if strings.HasPrefix(r.ID, f.letter) {
				fmt.Fprintf(&b, "\n### %s\n\n%s", r.Title(), r.Page())
			}
		}
	}
	b.WriteString(pagesEnd)
	_, err := io.WriteString(w, b.String())
	return err
}

// pagesEnd says what a reader who knows the literature may miss.
const pagesEnd = `
## What needs no rule

Some mistakes can't be made here, so that nothing looks for them. Their numbers stay free:

| | mistake | why it can't be made |
|---|---|---|
| T06 | form of charts | the kind of chart follows the axes: over categories there are bars from 0, or points where the scale is logarithmic, and no lines; what a logarithmic scale has no place for is listed as not drawn |
| T07 | one system, several looks | colour and marker of a series come from its name, and are the same in all charts of a report. A system that two charts call by two names is two series, and the legends say so |
| T08 | a winner without a test | nothing is marked as the best; verdicts come from tests alone |
`

// Summary is the first sentence of What.
func (r *Rule) Summary() string {
	for i := range r.What {
		if strings.HasPrefix(r.What[i:], ". ") {
			return r.What[:i+1]
		}
	}
	return r.What
}

func inTable(text string) string { return strings.ReplaceAll(text, "|", "\\|") }
