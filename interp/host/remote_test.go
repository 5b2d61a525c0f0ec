package host

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"versus/drivers"
	"versus/dsl"
)

func TestPlacedRefusesBadOrders(t *testing.T) {
	for in, want := range map[string]string{
		"": "no order came",
		fmt.Sprintf("{\"cpus\":[4000],\"clock\":%q}\n", clockName()):       "CPUs [4000]",
		"{\"clock\":\"another\"}\n":                                        "not the machine",
		fmt.Sprintf("{\"program\":\"../sh\",\"clock\":%q}\n", clockName()): "no hash",
		"hello\n":                  "can't be read",
		strings.Repeat("x", 2<<20): "too long",
	} {
		if _, err := startWorker([]string{"fake", "client"}, strings.NewReader(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, want %q", in, err, want)
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
