package host

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"versus/drivers"
	"versus/dsl"
)

func TestAttendantRefusesBadOrders(t *testing.T) {
	for in, want := range map[string]string{
		`{"worker":1,"start":{"cpus":[4000]}}`:                               "CPUs [4000]",
		`{"worker":1,"start":{"program":"../sh"}}`:                           "no hash",
		`{"worker":1,"start":{"program":"` + strings.Repeat("0", 64) + `"}}`: "no such file",
	} {
		var out bytes.Buffer
		err := attend(strings.NewReader(in+"\n"), &out)
		var a reply
		if err == nil {
			a, _, err = readReply(bufio.NewReader(&out), nil)
		}
		if err != nil || a.Worker != 1 || a.Ended == nil || a.Ended.Success() || !strings.Contains(a.Ended.String(), "can't be started") || !strings.Contains(a.Ended.String(), want) {
			t.Errorf("%s: %+v, %v, want %q", in, a, err, want)
		}
	}
	for in, want := range map[string]string{
		"hello\n":                                          "does not understand",
		strings.Repeat("x", 2<<20):                         "longer than",
		"{\"worker\":1}\n":                                 "nothing is to be done",
		"{\"worker\":1,\"kill\":true}\n{":                  "unexpected EOF",
		"{\"worker\":1,\"pass\":{\"size\":5}}\n{}\n":       "unexpected EOF",
		"{\"worker\":1,\"pass\":{\"size\":2}}\n{}\n":       "not as long as",
		"{\"worker\":1,\"pass\":{\"size\":9000000}}\n{}\n": "the limit is",
		"{\"worker\":1,\"pass\":{\"size\":-1}}\n{}\n":      "the limit is",
	} {
		if err := attend(strings.NewReader(in), io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.50q: %v, want %q", in, err, want)
		}
	}
}

func TestAttendant(t *testing.T) {
	var out bytes.Buffer
	if err := attend(strings.NewReader("{}\n{\"machine\":true,\"require\":{\"cores\":1000000}}\n"), &out); err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(&out)
	var clock, machine reply
	if dec.Decode(&clock) != nil || dec.Decode(&machine) != nil || clock.Clock <= 0 || machine.Clock < clock.Clock ||
		machine.Machine == nil || !strings.Contains(machine.Lacks, "1000000 cores") {
		t.Errorf("%+v %+v", clock, machine)
	}
	if err := attend(strings.NewReader("what?\n"), &out); err == nil {
		t.Error("no error")
	}
}

func TestExamine(t *testing.T) {
	h := pipe("far")
	h.Require.Cores = 1000000
	found, lacks, err := Examine(t.Context(), h)
	if err != nil || !strings.Contains(lacks, "1000000 cores") || found.Machine.Cores < 1 || len(found.Findings) < 10 || len(found.Noise.CPUs) == 0 {
		t.Errorf("%+v, %q, %v", found, lacks, err)
	}
	for script, want := range map[string]string{
		"exit 3":                                 "can't be reached",
		`printf '\n` + greeting + `\n{}\n'; cat`: "does not say how the machine is",
	} {
		h := &dsl.Host{Kind: "exec", Name: "odd", Command: []string{"sh", "-c", script}}
		if _, _, err := Examine(t.Context(), h); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", script, err, want)
		}
	}
	// What another machine says must not reach the terminal as it is.
	rogue := &dsl.Host{Kind: "exec", Name: "rogue", Command: []string{"sh", "-c", `printf '\n` + greeting + `\n{"lacks":"\\u001b[2J","examination":{"findings":[{"found":"\\u001b[31m"}]}}\n'; cat`}}
	found, lacks, err = Examine(t.Context(), rogue)
	if err != nil || lacks != "?[2J" || len(found.Findings) != 1 || found.Findings[0].Found != "?[31m" {
		t.Errorf("%+v, %q, %v", found, lacks, err)
	}
}

// A connection that ended between two runs, and is then needed for something new,
// costs one run.
func TestConnectionEndsBetweenRuns(t *testing.T) {
	w, c := hosts(t), placed(pipe("far"))
	need := drivers.Need{Package: "no-such-package", Command: "no-such-daemon"}
	first := []drivers.Role{{Name: "client", Active: true}}
	more := []drivers.Role{{Name: "client", Active: true, Needs: []drivers.Need{need}}}
	if _, err := w.Prepare(t.Context(), c, first); err != nil {
		t.Fatal(err)
	}
	unix.Kill(w.Helpers()[0], unix.SIGKILL)
	var lack Missing
	if _, err := w.Prepare(t.Context(), c, more); err == nil || errors.As(err, &lack) {
		t.Errorf("error %v of a connection that ended", err)
	}
	if _, err := w.Prepare(t.Context(), c, more); !errors.As(err, &lack) || !strings.Contains(err.Error(), "lacks no-such-daemon") {
		t.Errorf("error %v over a new connection", err)
	}
	if _, err := w.Prepare(t.Context(), c, first); err != nil {
		t.Error(err)
	}
}
