package journal

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"versus/drivers/protocol"
)

var (
	header = Header{
		Format: Format, Versus: "1.0", Scenario: "quick", Main: "quick.hcl", Path: "quick.hcl",
		Sources:     map[string]string{"quick.hcl": "scenario \"quick\" {}\n"},
		Methodology: []string{"runs = 3"}, Fingerprint: "abc", Cells: 2, Runs: 6,
		Created: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC),
	}
	environment = Environment{Host: "a", Kernel: "6.18", Cores: 2, Versions: map[string]string{"grpc: grpc": "v1"}}
)

// sample returns a sound record of run n of a cell.
func sample(cell string, n int) Run {
	return Run{
		Cell: cell, Run: n, Order: n, Start: time.Date(2026, 11, 30, 12, 0, n, 0, time.UTC), Status: OK,
		Setup: 0.05, Total: 1.25,
		Roles: map[string]*Role{
			"client": {Active: true, Env: []string{"GOMAXPROCS=1"}, Result: &protocol.Result{Elapsed: 1, Sent: 10, Received: 10}},
			"server": {Effective: map[string]string{"transport": "<tcp> & more"}, Result: &protocol.Result{Elapsed: 1}},
		},
	}
}

func mustCreate(t *testing.T) (dir string, j *Journal) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "deep", "result")
	j, err := Create(dir, header, environment)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return dir, j
}

func mustAppend(t *testing.T, j *Journal, runs ...Run) {
	t.Helper()
	for _, r := range runs {
		if err := j.Append(r); err != nil {
			t.Fatal(err)
		}
	}
}

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; want one with %q", parts)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q does not say %q", err, p)
		}
	}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	dir, j := mustCreate(t)
	replayed := Run{Cell: "b", Run: 0, Order: 2, Status: OK, Values: map[string]float64{"latency.mean": 1e-9}}
	failed := Run{Cell: "b", Run: 1, Order: 3, Status: Failed, Error: "client died\nlast words"}
	skipped := Run{Cell: "b", Run: 2, Order: 4, Status: Skipped, Error: "mosquitto is missing"}
	want := []Run{sample("a", 0), sample("a", 1), replayed, failed, skipped}
	mustAppend(t, j, want...)

	c, err := Read(dir) // while it is open
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(&Content{Header: header, Environment: environment, Runs: want}, c); d != "" {
		t.Errorf("content differs (-want +got):\n%s", d)
	}
	if !j.OK("a", 0) || !j.OK("b", 0) || j.OK("b", 1) || j.OK("b", 2) || j.OK("a", 2) {
		t.Error("OK is wrong about what the journal holds")
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	j2, c2, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer j2.Close()
	if d := cmp.Diff(c, c2); d != "" {
		t.Errorf("Open and Read differ:\n%s", d)
	}
	mustAppend(t, j2, sample("b", 1))
	if !j2.OK("a", 1) || !j2.OK("b", 1) || j2.OK("b", 2) {
		t.Error("OK is wrong after Open and Append")
	}
}

func TestLastRecordOfARunCounts(t *testing.T) {
	dir, j := mustCreate(t)
	first := Run{Cell: "a", Run: 0, Status: Failed, Error: "died"}
	second := Run{Cell: "a", Run: 0, Status: Failed, Error: "died again"}
	mustAppend(t, j, first, sample("a", 1), second, sample("a", 0))
	c, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]Run{sample("a", 1), sample("a", 0)}, c.Runs); d != "" {
		t.Errorf("Runs:\n%s", d)
	}
	if d := cmp.Diff([]Run{first, second}, c.Retried); d != "" {
		t.Errorf("Retried:\n%s", d)
	}
}

func TestCreateRefusesWhatIsThere(t *testing.T) {
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "precious"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := Create(full, header, environment)
	wantError(t, err, "not empty", "precious")
	if names, _ := os.ReadDir(full); len(names) != 1 {
		t.Errorf("Create left %v in a folder that it refused", names)
	}

	dir, j := mustCreate(t)
	j.Close()
	_, err = Create(dir, header, environment)
	wantError(t, err, "already holds a result", "resume")

	occupied := filepath.Join(full, "precious")
	_, err = Create(occupied, header, environment)
	wantError(t, err, occupied)

	_, err = Create(filepath.Join(full, "new"), Header{}, environment)
	wantError(t, err, "fingerprint")
}

// A Create that was killed leaves some of its files; the next one starts over.
func TestCreateAfterAnUnfinishedCreate(t *testing.T) {
	for _, names := range [][]string{
		{RunsFile},
		{RunsFile, EnvironmentFile + partial},
		{RunsFile, EnvironmentFile, ScenarioFile + partial},
	} {
		dir := t.TempDir()
		for _, n := range names {
			if err := os.WriteFile(filepath.Join(dir, n), nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		_, _, err := Open(dir)
		wantError(t, err, "not a journal", ScenarioFile)
		j, err := Create(dir, header, environment)
		if err != nil {
			t.Fatalf("after %v: %v", names, err)
		}
		j.Close()
		if _, err := Read(dir); err != nil {
			t.Errorf("after %v: %v", names, err)
		}
	}
}

func TestOneWriterAtATime(t *testing.T) {
	dir, j := mustCreate(t)
	_, _, err := Open(dir)
	wantError(t, err, dir, "in use")
	j.Close()
	again, _, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}

func TestTornAtEveryByte(t *testing.T) {
	dir, j := mustCreate(t)
	mustAppend(t, j, sample("a", 0), sample("a", 1))
	j.Close()
	path := filepath.Join(dir, RunsFile)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first := bytes.IndexByte(whole, '\n') + 1
	for cut := first; cut < len(whole); cut++ {
		// The end is missing; or it was allotted, but never written.
		zeros := append(bytes.Clone(whole[:cut]), make([]byte, len(whole)-cut)...)
		for _, text := range [][]byte{whole[:cut], zeros} {
			if err := os.WriteFile(path, text, 0o666); err != nil {
				t.Fatal(err)
			}
			torn := len(text) > first
			for range 2 { // Read changes nothing
				c, err := Read(dir)
				if err != nil || len(c.Runs) != 1 || (len(c.Warnings) == 1) != torn {
					t.Fatalf("cut at %d: Read gives %v, %v", cut, c, err)
				}
			}
			j, c, err := Open(dir)
			if err != nil || len(c.Runs) != 1 || (len(c.Warnings) == 1) != torn {
				t.Fatalf("cut at %d: Open gives %v, %v", cut, c, err)
			}
			mustAppend(t, j, sample("a", 1))
			j.Close()
			if got, _ := os.ReadFile(path); !bytes.Equal(got, whole) {
				t.Fatalf("cut at %d: after appending again the file is\n%s", cut, got)
			}
		}
	}
}

func TestDamageIsAnErrorWithItsLine(t *testing.T) {
	dir, j := mustCreate(t)
	mustAppend(t, j, sample("a", 0), sample("a", 1), sample("a", 2))
	j.Close()
	path := filepath.Join(dir, RunsFile)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	start := bytes.IndexByte(whole, '\n') + 1
	end := start + bytes.IndexByte(whole[start:], '\n')
	for i := start; i <= end; i++ { // any byte of the second line, its newline included
		text := bytes.Clone(whole)
		text[i] ^= 0x04
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Fatalf("byte %d changed: %v", i, err)
		}
		if _, _, err := Open(dir); err == nil {
			t.Fatalf("byte %d changed: Open says nothing", i)
		}
		if got, _ := os.ReadFile(path); !bytes.Equal(got, text) {
			t.Fatalf("byte %d changed: Open rewrote a damaged journal", i)
		}
	}
	for _, c := range []struct{ name, text, want string }{
		{"last line changed", string(whole[:len(whole)-10]) + "x" + string(whole[len(whole)-9:]), "line 3"},
		{"foreign last line", string(whole) + "remember to buy milk", "line 4"},
		{"empty line", string(whole[:start]) + "\n" + string(whole[start:]), "line 2"},
		{"line over the limit", string(whole) + strings.Repeat("{", MaxLine+1) + "\n", "line 4"},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, _, err := Open(dir)
		wantError(t, err, c.want)
	}
}

func TestHeadIsChecked(t *testing.T) {
	for _, c := range []struct{ file, text, want string }{
		{ScenarioFile, `{"format": 4, "fingerprint": "x"}`, "format is 4"},
		{ScenarioFile, `{"format": 0, "fingerprint": "x"}`, "format is 0"},
		{ScenarioFile, `{"format": 1}`, "fingerprint"},
		{ScenarioFile, `{"format": 1, "fingerprint": "x", "runs": -1}`, "impossible"},
		{ScenarioFile, `{"format": 3, "fingerprint": "x", "shard": {"number": 3, "of": 2}}`, "shard 3/2"},
		{ScenarioFile, `{"format": 3, "fingerprint": "x", "shard": {"number": 3, "of": 2000000000}}`, "impossible"},
		{ScenarioFile, `{"format": 3, "fingerprint": "x", "cells": 1, "shard": {"number": 1, "of": 2, "cells": 2}}`, "impossible"},
		{ScenarioFile, `{"format": 1, "fingerprint": "x", "colour": 1}`, "colour"},
		{ScenarioFile, `{"format": 1, "fingerprint": "x"} {}`, "after its end"},
		{ScenarioFile, ``, ScenarioFile + " is damaged"},
		{EnvironmentFile, `{`, EnvironmentFile + " is damaged"},
		{EnvironmentFile, `{"machines": {"a\u0007": {}}}`, "printable"},
		{EnvironmentFile, `{"machines": {"a": null}}`, "empty"},
		{EnvironmentFile, `{"machines": {"a": {"machines": {}}}}`, "made of machines"},
	} {
		dir, j := mustCreate(t)
		j.Close()
		if err := os.WriteFile(filepath.Join(dir, c.file), []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := Read(dir)
		wantError(t, err, dir, c.want)
		_, _, err = Open(dir)
		wantError(t, err, dir, c.want)
	}
	_, err := Read(filepath.Join(t.TempDir(), "nowhere"))
	wantError(t, err, "there is no journal", "nowhere")
}

func TestUnsoundRecordsAreRefused(t *testing.T) {
	dir, j := mustCreate(t)
	change := func(f func(*Run)) Run {
		r := sample("a", 0)
		f(&r)
		return r
	}
	for want, r := range map[string]Run{
		"key of the cell":  change(func(r *Run) { r.Cell = "" }),
		"UTF-8":            change(func(r *Run) { r.Cell = "\xff" }),
		"count from 0":     change(func(r *Run) { r.Run = -1 }),
		"unknown status":   change(func(r *Run) { r.Status = "fine" }),
		"times of NaN":     change(func(r *Run) { r.Setup = math.NaN() }),
		"+Inf s":           change(func(r *Run) { r.Total = math.Inf(1) }),
		"has an error":     change(func(r *Run) { r.Error = "x" }),
		"nothing says why": change(func(r *Run) { r.Status = Failed }),
		"the error has":    change(func(r *Run) { r.Status = Failed; r.Error = strings.Repeat("x", maxError+1) }),
		"not both":         change(func(r *Run) { r.Values = map[string]float64{"x": 1} }),
		"has no result":    change(func(r *Run) { r.Roles["client"].Result = nil }),
		"is empty":         change(func(r *Run) { r.Roles["client"] = nil }),
		"elapsed":          change(func(r *Run) { r.Roles["client"].Result.Elapsed = math.Inf(1) }),
		"finite": change(func(r *Run) {
			r.Roles, r.Values = nil, map[string]float64{"latency.mean": math.NaN()}
		}),
		`link "x" is empty`: change(func(r *Run) { r.Links = map[string]*Link{"x": nil} }),
		`link "y" has a`:    change(func(r *Run) { r.Links = map[string]*Link{"y": {RoundTrip: -1}} }),
		`link "z" has a`:    change(func(r *Run) { r.Links = map[string]*Link{"z": {Relay: &Relay{Lost: [2]int64{0, -1}}}} }),
		"limit is": change(func(r *Run) {
			r.Roles["client"].Effective = map[string]string{"x": strings.Repeat("x", MaxLine)}
		}),
	} {
		wantError(t, j.Append(r), want)
	}
	if c, err := Read(dir); err != nil || len(c.Runs) != 0 {
		t.Errorf("something was written: %v, %v", c, err)
	}
}

// failing is a file that can fail in each of its calls.
type failing struct {
	*os.File
	short    int // bytes written before write fails; -1: all
	write    error
	sync     error
	truncate error
}

func (f *failing) Write(b []byte) (int, error) {
	if f.short < 0 {
		return f.File.Write(b)
	}
	n, err := f.File.Write(b[:min(f.short, len(b))])
	return n, errors.Join(err, f.write)
}

func (f *failing) Sync() error {
	err := f.sync
	f.sync = nil
	return errors.Join(f.File.Sync(), err)
}

func (f *failing) Truncate(n int64) error {
	if f.truncate != nil {
		return f.truncate
	}
	return f.File.Truncate(n)
}

func TestFailedWritesLeaveAValidJournal(t *testing.T) {
	for _, c := range []struct {
		name string
		f    failing
		want []string
	}{
		{"disk full", failing{short: 0, write: syscall.ENOSPC}, []string{"no space left", "make room", "safe"}},
		{"disk full within the line", failing{short: 30, write: syscall.ENOSPC}, []string{"no space left", "resume"}},
		{"short write", failing{short: 30}, []string{"short write"}},
		{"sync", failing{short: -1, sync: syscall.EIO}, []string{"input/output error"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, j := mustCreate(t)
			mustAppend(t, j, sample("a", 0))
			healthy := j.file.(*os.File)
			c.f.File = healthy
			j.file = &c.f
			wantError(t, j.Append(sample("a", 1)), append(c.want, dir)...)
			if got, err := Read(dir); err != nil || len(got.Runs) != 1 || got.Warnings != nil {
				t.Errorf("the journal holds %v, %v", got, err)
			}
			j.file = healthy
			mustAppend(t, j, sample("a", 1)) // room again
			if got, err := Read(dir); err != nil || len(got.Runs) != 2 || got.Warnings != nil {
				t.Errorf("the journal holds %v, %v", got, err)
			}
		})
	}
}

func TestNothingIsAppendedBehindATornLine(t *testing.T) {
	dir, j := mustCreate(t)
	mustAppend(t, j, sample("a", 0))
	healthy := j.file.(*os.File)
	j.file = &failing{File: healthy, short: 30, write: syscall.ENOSPC, truncate: syscall.EIO}
	wantError(t, j.Append(sample("a", 1)), "no space left", "opening the journal again")
	j.file = healthy
	wantError(t, j.Append(sample("a", 1)), "opening the journal again")
	j.Close()
	j2, c, err := Open(dir)
	if err != nil || len(c.Runs) != 1 || len(c.Warnings) != 1 {
		t.Fatalf("Open gives %v, %v", c, err)
	}
	mustAppend(t, j2, sample("a", 1))
	j2.Close()
}

func FuzzScan(f *testing.F) {
	r := sample("a", 0)
	line, err := encode(&r)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(line)
	f.Add(append(bytes.Clone(line), line[:40]...))
	f.Add(append(bytes.Clone(line), 0, 0, '\n'))
	f.Add([]byte(`{"sum":"00000000","run":{}}` + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := scan(bytes.NewReader(text))
		if err != nil {
			return
		}
		if s.end+s.torn != int64(len(text)) {
			t.Fatalf("%d good and %d torn bytes of %d", s.end, s.torn, len(text))
		}
		for i := range s.runs {
			if _, err := encode(&s.runs[i]); err != nil {
				t.Fatalf("what was read can't be written: %v", err)
			}
		}
	})
}

// FuzzDecode gives the decoder runs behind a right checksum.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"cell":"a","run":0,"order":0,"start":"2026-11-30T12:00:00Z","status":"ok","values":{"x":1}}`))
	f.Add([]byte(`{"cell":"a","run":0,"order":0,"status":"failed","error":"x","roles":{"client":{"result":null}}}`))
	f.Fuzz(func(t *testing.T, run []byte) {
		r, err := decode(frame(run))
		if err != nil {
			return
		}
		if _, err := encode(r); err != nil {
			t.Fatalf("what was read can't be written: %v", err)
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	j, err := Create(filepath.Join(b.TempDir(), "j"), header, environment)
	if err != nil {
		b.Fatal(err)
	}
	defer j.Close()
	r := sample("a", 0)
	for b.Loop() {
		if err := j.Append(r); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRead reads a journal of 1,000 runs of two roles with histograms.
func BenchmarkRead(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "j")
	j, err := Create(dir, header, environment)
	if err != nil {
		b.Fatal(err)
	}
	defer j.Close()
	for n := range 1000 {
		r := sample("a", n)
		r.Roles["client"].Result.Latency = latencies(b, n)
		r.Roles["client"].Result.Received = 10_000
		if err := j.Append(r); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(j.end)/1000, "B/run")
	for b.Loop() {
		if _, err := Read(dir); err != nil {
			b.Fatal(err)
		}
	}
}

// latencies returns a distribution of 10,000 samples.
func latencies(b *testing.B, seed int) *protocol.Distribution {
	h, d := protocol.NewHistogram(), &protocol.Distribution{}
	rng := rand.New(rand.NewPCG(uint64(seed), 0))
	for range 10_000 {
		v := int64(20_000 + rng.ExpFloat64()*20_000)
		h.RecordValue(v)
		if d.Count == 0 {
			d.Min = v
		}
		d.Count, d.Sum, d.Min, d.Max = d.Count+1, d.Sum+v, min(d.Min, v), max(d.Max, v)
		d.SumSquares += float64(v) * float64(v) * 1e-18
	}
	if err := d.SetHistogram(h); err != nil {
		b.Fatal(err)
	}
	return d
}
