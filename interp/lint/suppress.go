package lint

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"versus/dsl"
)

// suppression is one rule silenced at one place: by a comment at a line, or by
// `rule "R05" { severity = "off" }` everywhere.
type suppression struct {
	rule, reason string
	at           hcl.Range
	line         int // of the findings that it silences; 0 is everywhere
	used         bool
}

// noReason stands for the reason of a suppression that has none.
const noReason = "no reason given"

// configure applies the severities and suppressions of a scenario, and reports
// suppressions without a reason, without use and of unknown rules. rules are
// those that were run: of others, nothing says whether a suppression is useful.
func configure(s *dsl.Scenario, rules []*Rule, findings []*Finding) []*Finding {
	all := comments(s)
	severities := map[string]*dsl.LintBlock{}
	var off []*suppression
	for _, b := range s.Lint {
		severities[b.Rule] = b
		all = append(all, &suppression{rule: b.Rule, reason: b.Reason, at: b.Range, used: b.Severity != string(Off)})
		if b.Severity == string(Off) {
			off = append(off, all[len(all)-1])
		}
	}
	silence := func(f *Finding) {
		if b := severities[f.Rule.ID]; b != nil {
			f.Severity = Severity(b.Severity)
		}
		for _, p := range all {
			here := p.line == f.Range.Start.Line && p.at.Filename == f.Range.Filename
			if p.rule == f.Rule.ID && (here || slices.Contains(off, p)) {
				p.used = true
				f.Reason = p.reason
				if f.Reason == "" {
					f.Reason = noReason
				}
			}
		}
	}
	for _, f := range findings {
		silence(f)
	}
	for _, f := range mistakes(s, rules, all) {
		silence(f)
		findings = append(findings, f)
	}
	return findings
}

// mistakes are the findings about suppressions themselves.
func mistakes(s *dsl.Scenario, rules []*Rule, all []*suppression) []*Finding {
	p := &Pass{Scenario: s}
	known := map[string]bool{}
	for _, r := range Rules() {
		known[r.ID] = true
	}
	report := func(r *Rule, at hcl.Range, format string, args ...any) {
		if slices.Contains(rules, r) {
			p.rule = r
			p.Report(at, format, args...)
		}
	}
	for _, x := range all {
		wasRun := slices.ContainsFunc(rules, func(r *Rule) bool { return r.ID == x.rule })
		switch {
		case !known[x.rule]:
			report(s03, x.at, "There is no rule %q. `versus lint -rules` lists them.", x.rule)
			continue
		case x.reason == "":
			report(s01, x.at, "This silences %s and does not say why. Write the reason: # lint:ignore %s REASON.", x.rule, x.rule)
		}
		// A file that other scenarios import may be right for them.
		if !x.used && wasRun && own(s, x.at.Filename) && !strings.HasPrefix(x.rule, "S") {
			report(s02, x.at, "%s finds nothing here, so that this hides only what may come. Remove it.", x.rule)
		}
	}
	return p.findings
}

// own reports whether a file is one of the scenario itself, not an import.
func own(s *dsl.Scenario, name string) bool {
	if s.Main == "." {
		return !strings.Contains(name, "/")
	}
	return name == s.Main
}

var (
	ignore = regexp.MustCompile(`^lint:ignore\b\s*(.*)$`)
	idList = regexp.MustCompile(`^([A-Za-z]\w*(?:\s*,\s*[A-Za-z]\w*)*)\s*(.*)$`)
)

// comments finds the suppressions in the comments of the files of a scenario.
func comments(s *dsl.Scenario) []*suppression {
	var all []*suppression
	for _, name := range slices.Sorted(maps.Keys(s.Sources)) {
		if !strings.HasSuffix(name, ".hcl") {
			continue
		}
		src := s.Sources[name]
		if !bytes.Contains(src, []byte("lint:ignore")) {
			continue
		}
		tokens, _ := hclsyntax.LexConfig(src, name, hcl.InitialPos)
		for i, t := range tokens {
			if t.Type != hclsyntax.TokenComment {
				continue
			}
			text := strings.TrimSuffix(strings.TrimLeft(string(t.Bytes), "#/* \t"), "*/")
			m := ignore.FindStringSubmatch(strings.TrimSpace(text))
			if m == nil {
				continue
			}
			at := t.Range
			if shown := strings.TrimRight(string(t.Bytes), "\r\n"); len(shown) < len(t.Bytes) {
				at.End = hcl.Pos{Line: at.Start.Line, Column: at.Start.Column + len([]rune(shown)), Byte: at.Start.Byte + len(shown)}
			}
			all = append(all, ignored(m[1], at, target(tokens, i))...)
		}
	}
	return all
}

// target is the line that the comment tokens[i] speaks of: its own, if there is
// something else on it, or the next one that is no comment.
func target(tokens hclsyntax.Tokens, i int) int {
	line := tokens[i].Range.Start.Line
	if i > 0 {
		before := tokens[i-1]
		if before.Type != hclsyntax.TokenNewline && before.Type != hclsyntax.TokenComment && before.Range.End.Line == line {
			return line
		}
	}
	for i < len(tokens) && tokens[i].Type == hclsyntax.TokenComment {
		line = tokens[i].Range.Start.Line + 1
		i++
	}
	return line
}

// ignored reads what follows lint:ignore: "R03, R04 the reason".
func ignored(text string, at hcl.Range, line int) []*suppression {
	m := idList.FindStringSubmatch(text)
	if m == nil {
		return []*suppression{{rule: text, at: at, line: line, reason: text}}
	}
	reason := strings.TrimSpace(strings.Trim(strings.TrimSpace(m[2]), `"`))
	var all []*suppression
	for _, id := range strings.Split(m[1], ",") {
		all = append(all, &suppression{rule: strings.TrimSpace(id), reason: reason, at: at, line: line})
	}
	return all
}

// suppressions are the rules about suppressions. configure applies them.
var suppressions = []*Rule{s01, s02, s03}

var s01 = &Rule{
	ID: "S01", Slug: "suppression-without-reason", Severity: Warning,
	What:    "A comment silences a rule and gives no reason.",
	Why:     "The next reader can't tell a considered exception from a finding that was in the way.",
	Source:  "The practice of staticcheck and clippy, whose ignore directives need a reason.",
	Example: "repeat { runs = 3 } # lint:ignore R04",
	Cure:    "repeat { runs = 3 } # lint:ignore R04 each run takes a night",
}

var s02 = &Rule{
	ID: "S02", Slug: "suppression-useless", Severity: Warning,
	What:    "A suppression silences nothing: the rule finds nothing at its place. Files that are imported are not looked at, for they may be right for another scenario.",
	Why:     "It would hide the next mistake of this kind.",
	Source:  "The practice of staticcheck and eslint (report unused disable directives).",
	Example: "repeat { runs = 10 } # lint:ignore R04 each run takes a night",
	Cure:    "repeat { runs = 10 }",
}

var s03 = &Rule{
	ID: "S03", Slug: "suppression-of-unknown-rule", Severity: Warning,
	What:    "A comment or a lint block names a rule that does not exist.",
	Why:     "It has no effect, and the rule that was meant still reports.",
	Source:  "The practice of eslint and golangci-lint.",
	Example: "repeat { runs = 3 } # lint:ignore R4 each run takes a night",
	Cure:    "repeat { runs = 3 } # lint:ignore R04 each run takes a night",
}

// String names a finding in tests and messages: "R05 s.hcl:3".
func (f *Finding) String() string {
	return fmt.Sprintf("%s %s:%d", f.Rule.ID, f.Range.Filename, f.Range.Start.Line)
}
