package report

import (
	"fmt"
	"io"
	"strings"

	"versus/dsl/diag"
)

// JUnit writes the expectations as the XML of JUnit, for build servers: a case
// for each; what only informs passes, with its failures as output. Notes that
// warn are output of a case that passes.
func JUnit(w io.Writer, r *Report) error {
	suite := diag.Suite{Name: r.Name}
	for _, e := range r.Expectations {
		c := diag.Case{Name: e.Text, Class: r.Name}
		text := strings.Join(e.Failures, "\n")
		switch e.Status {
		case Fail:
			c.Failures = append(c.Failures, diag.Message{Message: first(e.Failures), Text: text})
		case Info:
			c.Out = text
		}
		suite.Cases = append(suite.Cases, c)
	}
	if text := warnings(r); text != "" || len(suite.Cases) == 0 {
		suite.Cases = append(suite.Cases, diag.Case{Name: "runs", Class: r.Name, Out: text})
	}
	return diag.JUnit(w, "versus", []diag.Suite{suite})
}

func first(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return texts[0]
}

func warnings(r *Report) string {
	var out []string
	for _, n := range r.Notes {
		if n.Warning {
			out = append(out, n.Text)
		}
	}
	return strings.Join(out, "\n")
}

// GitHub writes failed expectations and notes that warn as the commands that
// GitHub Actions shows beside a change. Texts are escaped, so that none of
// them can be a command of its own.
func GitHub(w io.Writer, r *Report) error {
	var lines []string
	command := func(level, title, text string) {
		lines = append(lines, fmt.Sprintf("::%s title=%s::%s", level, githubProperty.Replace(clean(title)), githubData.Replace(text)))
	}
	for _, e := range r.Expectations {
		switch e.Status {
		case Fail:
			command("error", e.Text, strings.Join(e.Failures, "\n"))
		case Info:
			command("notice", e.Text, strings.Join(e.Failures, "\n"))
		}
	}
	for _, n := range r.Notes {
		if n.Warning {
			command("warning", r.Name, n.Text)
		}
	}
	for _, l := range lines {
		if _, err := fmt.Fprintln(w, l); err != nil {
			return err
		}
	}
	return nil
}

// The escapes of GitHub's workflow commands, in their texts and their properties.
var (
	githubData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
