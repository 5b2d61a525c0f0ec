package report

import (
	"bytes"
	"strings"
	"testing"
)

func gated() *Report {
	return &Report{Name: "s", Expectations: []Expectation{
		{Text: "fast", Status: Pass, Checked: 1},
		{Text: "very fast, 100%: always", Status: Fail, Checked: 2, Failures: []string{"a: 5 ms\n::error::evil", "b: <7> ms"}},
		{Text: "almost 40 times", Status: Info, Checked: 1, Failures: []string{"27.3 times"}},
	}, Notes: []Note{{Warning: true, Text: "runs failed"}, {Text: "nothing much"}}}
}

func TestGitHub(t *testing.T) {
	var b bytes.Buffer
	if err := GitHub(&b, gated()); err != nil {
		t.Fatal(err)
	}
	want := "::error title=very fast%2C 100%25%3A always::a: 5 ms\\n::error::evil%0Ab: <7> ms\n" +
		"::notice title=almost 40 times::27.3 times\n" +
		"::warning title=s::runs failed\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestJUnit(t *testing.T) {
	var b bytes.Buffer
	if err := JUnit(&b, gated()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`tests="4" failures="1" skipped="0"`, `<testcase name="fast" classname="s">`, `b: &lt;7&gt; ms`, "27.3 times", "runs failed",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in\n%s", want, b.String())
		}
	}
	b.Reset()
	if err := JUnit(&b, &Report{Name: "none"}); err != nil || !strings.Contains(b.String(), `tests="1"`) {
		t.Errorf("without expectations, a build server must still see a case: %v\n%s", err, b.String())
	}
}
