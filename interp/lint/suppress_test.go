package lint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"versus/interp/lint"
)

// scenario has one mistake, R04 (5 runs), in the line marked.
const scenario = `scenario "s" {}
backend "grpc" "grpc" {}
methodology "m" {
  warmup { duration = "2s" }
  measure { duration = "10s" }
  %s
}
test "rpc" "t" {
  methodology = methodology.m
  backend     = backend.grpc
}
`

func TestSuppressions(t *testing.T) {
	const runs = "repeat { runs = 5 }"
	for _, c := range []struct {
		name, lines, more string
		reason            string   // of R04; empty: it is reported
		also              []string // findings about suppressions
	}{
		{"none", runs, "", "", nil},
		{"same line", runs + " # lint:ignore R04 a night each", "", "a night each", nil},
		{"line before", "# lint:ignore R04 a night each\n" + runs, "", "a night each", nil},
		{"slashes, quotes, blanks", "//lint:ignore   R04   \"a night each\"\n" + runs, "", "a night each", nil},
		{"between", "/* lint:ignore R04 a night each */\n" + runs, "", "a night each", nil},
		{"several comments", "# lint:ignore R04 a night each\n# and so on\n" + runs, "", "a night each", nil},
		{"two rules", "# lint:ignore R04, R99 a night each\n" + runs, "", "a night each", []string{"S03"}},
		{"two rules, one useless", "# lint:ignore R04,R03 a night each\n" + runs, "", "a night each", []string{"S02"}},
		{"a line between", "# lint:ignore R04 a night each\n\n" + runs, "", "", []string{"S02"}},
		{"at the end of the line before", "order = \"random\" # lint:ignore R04 a night each\nseed = 2\n" + runs, "", "", []string{"S02"}},
		{"no reason", runs + " # lint:ignore R04", "", "no reason given", []string{"S01"}},
		{"no rule", runs + " # lint:ignore", "", "", []string{"S03"}},
		{"small letters", runs + " # lint:ignore r04 a night each", "", "", []string{"S03"}},
		{"in a text", runs, "locals {\n  a = \"# lint:ignore R04 a night each\"\n}\n", "", nil},
		{"off", runs, "lint {\n  rule \"R04\" {\n    severity = \"off\"\n    reason = \"as it was\"\n  }\n}\n", "as it was", nil},
		{"off, no reason", runs, "lint {\n  rule \"R04\" {\n    severity = \"off\"\n    reason = \"\"\n  }\n}\n", "no reason given", []string{"S01"}},
		{"off, useless", "repeat { runs = 6 }", "lint {\n  rule \"R04\" {\n    severity = \"off\"\n    reason = \"as it was\"\n  }\n}\n", "", []string{"S02"}},
		{"suppressing a suppression", "# lint:ignore S02 to be\n# lint:ignore R03 a night each\nrepeat { runs = 6 }", "", "", []string{"S02"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := fmt.Sprintf(scenario, c.lines) + c.more
			s, p, diags := fromSource()(map[string][]byte{"s.hcl": []byte(src)})
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			reason, also := "", []string(nil)
			for _, f := range lint.Run(s, p, registry, lint.Rules()) {
				switch {
				case f.Rule.ID == "R04":
					reason = f.Reason
				case strings.HasPrefix(f.Rule.ID, "S") && f.Reason == "":
					also = append(also, f.Rule.ID)
				}
			}
			if reason != c.reason {
				t.Errorf("R04 is suppressed for %q, want %q", reason, c.reason)
			}
			if diff := cmp.Diff(c.also, also); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSeverities(t *testing.T) {
	for severity, exits := range map[string]bool{"error": true, "warning": false, "info": false} {
		src := fmt.Sprintf(scenario, "repeat { runs = 5 }") + fmt.Sprintf("lint {\n  rule \"R04\" {\n    severity = %q\n    reason = \"ours\"\n  }\n}\n", severity)
		s, p, diags := fromSource()(map[string][]byte{"s.hcl": []byte(src)})
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		found := slices.ContainsFunc(lint.Run(s, p, registry, lint.Rules()), func(f *lint.Finding) bool {
			return f.Rule.ID == "R04" && f.Shown() && f.Severity == lint.Severity(severity) && (f.Severity == lint.Error) == exits
		})
		if !found {
			t.Errorf("R04 is not reported as %s", severity)
		}
	}
}
