package diag

import (
	"encoding/xml"
	"io"
)

// Suite is a suite of tests in the XML of JUnit, as build servers read it.
type Suite struct {
	Name     string `xml:"name,attr"`
	Tests    int    `xml:"tests,attr"`
	Failures int    `xml:"failures,attr"`
	Skipped  int    `xml:"skipped,attr"`
	Cases    []Case `xml:"testcase"`
}

// Case is one test: it failed if it has Failures, it was not made if it has
// Skipped, and else it passed.
type Case struct {
	Name     string    `xml:"name,attr"`
	Class    string    `xml:"classname,attr"`
	Failures []Message `xml:"failure"`
	Skipped  *Message  `xml:"skipped"`
	Out      string    `xml:"system-out,omitempty"`
}

// Message says why a case failed or was not made; Text has the details.
type Message struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// JUnit writes suites; their counts are taken from their cases. The error is
// that of w.
func JUnit(w io.Writer, name string, suites []Suite) error {
	all := struct {
		XMLName  xml.Name `xml:"testsuites"`
		Name     string   `xml:"name,attr"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Skipped  int      `xml:"skipped,attr"`
		Suites   []Suite  `xml:"testsuite"`
	}{Name: name}
	for _, s := range suites {
		s.Tests, s.Failures, s.Skipped = len(s.Cases), 0, 0
		for _, c := range s.Cases {
			if len(c.Failures) > 0 {
				s.Failures++
			}
			if c.Skipped != nil {
				s.Skipped++
			}
		}
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Skipped += s.Skipped
		all.Suites = append(all.Suites, s)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
