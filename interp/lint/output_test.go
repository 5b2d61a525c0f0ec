package lint_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"

	"versus/interp/lint"
)

// report has one finding of every kind: an error, a warning, one that is
// suppressed, and one that is not checked.
func report() lint.Report {
	rules := lint.Rules()
	at := hcl.Range{Filename: "a<b.hcl", Start: hcl.Pos{Line: 3, Column: 2, Byte: 20}, End: hcl.Pos{Line: 3, Column: 4, Byte: 22}}
	find := func(i int, s lint.Severity) *lint.Finding {
		return &lint.Finding{Rule: rules[i], Severity: s, Message: "A \x1b finding & more.", Range: at}
	}
	suppressed, open := find(2, lint.Error), find(3, lint.Error)
	suppressed.Reason, open.NotChecked = "a night each", true
	return lint.Report{Scenario: "s.hcl", Findings: []*lint.Finding{find(0, lint.Error), find(1, lint.Warning), suppressed, open}, Fixed: []*lint.Finding{find(4, lint.Warning)}}
}

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	if err := lint.WriteJSON(&b, []lint.Report{report()}); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Errors   int `json:"error_count"`
		Warnings int `json:"warning_count"`
		Findings []map[string]any
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Errors != 1 || got.Warnings != 1 || len(got.Findings) != 5 {
		t.Errorf("%+v", got)
	}
	if got.Findings[0]["fixed"] != true || got.Findings[3]["suppressed"] != "a night each" || got.Findings[4]["not_checked"] != true {
		t.Error(b.String())
	}
	b.Reset()
	if err := lint.WriteJSON(&b, nil); err != nil || !strings.Contains(b.String(), `"findings": []`) {
		t.Errorf("%v %s", err, b.String())
	}
}

func TestJUnit(t *testing.T) {
	var b bytes.Buffer
	if err := lint.WriteJUnit(&b, []lint.Report{report()}, lint.Rules()); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Skipped  int `xml:"skipped,attr"`
		Suites   []struct {
			Cases []struct {
				Failure *struct{} `xml:"failure"`
				Skipped *struct{} `xml:"skipped"`
				Out     string    `xml:"system-out"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatalf("%v: %s", err, b.String())
	}
	if got.Tests != len(lint.Rules()) || got.Failures != 1 || got.Skipped != 2 {
		t.Errorf("%+v", got)
	}
	cases := got.Suites[0].Cases
	if cases[0].Failure == nil || !strings.Contains(cases[1].Out, "a<b.hcl:3:2: warning") || cases[2].Skipped == nil || cases[3].Skipped == nil || cases[4].Failure != nil {
		t.Error(b.String())
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestErrorsOfTheWriterAreReturned(t *testing.T) {
	r := []lint.Report{report()}
	for name, err := range map[string]error{
		"json": lint.WriteJSON(failing{}, r), "junit": lint.WriteJUnit(failing{}, r, lint.Rules()), "pages": lint.WritePages(failing{}, lint.Rules()),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
