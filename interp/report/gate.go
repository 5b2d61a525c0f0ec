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
	suite := diag.Suite{Name: clean(r.Name)}
	for _, e := range r.Expectations {
		c := diag.Case{Name: clean(e.Text), Class: clean(r.Name)}
		text := cleanLines(e.Failures)
		switch e.Status {
		case Fail:
			first, _, _ := strings.Cut(text, "\n")
			c.Failures = append(c.Failures, diag.Message{Message: first, Text: text})
		case Info:
			c.Out = text
		}
		suite.Cases = append(suite.Cases, c)
	}
	if text := warnings(r); text != "" || len(suite.Cases) == 0 {
		suite.Cases = append(suite.Cases, diag.Case{Name: "runs", Class: clean(r.Name), Out: text})
	}
	return diag.JUnit(w, "versus", []diag.Suite{suite})
}

// cleanLines are texts from outside, each on a line of its own.
func cleanLines(texts []string) string {
	var out []string
	for _, s := range texts {
		out = append(out, clean(s))
	}
	return strings.Join(out, "\n")
}

func warnings(r *Report) string {
	var out []string
	for _, n := range r.Notes {
		if n.Warning {
			out = append(out, n.Text)
		}
	}
	return cleanLines(out)
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
			command("error", e.Text, cleanLines(e.Failures))
		case Info:
			command("notice", e.Text, cleanLines(e.Failures))
		}
	}
	for _, n := range r.Notes {
		if n.Warning {
			command("warning", r.Name, clean(n.Text))
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
