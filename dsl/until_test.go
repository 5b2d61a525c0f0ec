package dsl

import (
	"strings"
	"testing"
)

// TestUntilAndRepeat has a stop rule in one place and a number of runs in
// another: the more particular place decides, whichever it has.
func TestUntilAndRepeat(t *testing.T) {
	const until = "until {\n relative_interval = 0.02\n max = 30\n }"
	for _, c := range []struct {
		methodology, test string
		runs, min         int
	}{
		{"", "", defaultRuns, 0},
		{until, "", 30, 6},
		{until, "repeat { runs = 4 }", 4, 0},
		{"repeat { runs = 4 }", until, 30, 6},
		{"repeat { runs = 4 }", "until {\n relative_interval = 0.1\n min = 10\n max = 12\n }", 12, 10},
	} {
		s := scenario(t, `scenario "s" {}
backend "fast" "a" {}
methodology "m" {
  measure { duration = "1s" }
  `+c.methodology+`
}
test "rpc" "t" {
  methodology = methodology.m
  backend     = backend.a
  `+c.test+`
}
`)
		m := s.Tests[0].Methodology
		if m.Runs != c.runs || (m.Until != nil) != (c.min > 0) || m.Until != nil && (m.Until.Min != c.min || m.Until.Max != c.runs) {
			t.Errorf("%q and %q: %d runs, %+v", c.methodology, c.test, m.Runs, m.Until)
		}
	}
	_, diags := LoadSources("s.hcl", map[string][]byte{"s.hcl": []byte("scenario \"s\" {}\nmethodology \"m\" {\n measure { calls = 1 }\n until {\n relative_interval = 0.1\n min = 12\n max = 10\n }\n}\n")}, testConfig())
	if !strings.Contains(diags.Error(), "max is 10, below min, which is 12") {
		t.Errorf("%v", diags)
	}
}
