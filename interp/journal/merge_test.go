package journal

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// shardOf writes a shard of a plan of 6 cells with 2 runs each, split three
// ways, with changes to its head, and returns its folder. Cell i is in shard
// i mod 3 + 1.
func shardOf(t testing.TB, number int, change func(*Header, *Environment)) string {
	t.Helper()
	h, e := header, environment
	h.Cells, h.Runs, h.Shard = 6, 12, &Shard{Number: number, Of: 3, Cells: 2, Runs: 4}
	h.Created = h.Created.AddDate(0, 0, number)
	e.Versions = maps.Clone(e.Versions)
	if change != nil {
		change(&h, &e)
	}
	dir := filepath.Join(t.TempDir(), fmt.Sprint("shard", number))
	j, err := Create(dir, h, e)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	for _, r := range runsOfShard(number) {
		if err := j.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func runsOfShard(number int) []Run {
	var runs []Run
	for round := range 2 {
		for cell := number - 1; cell < 6; cell += 3 {
			r := sample(fmt.Sprint("cell", cell), round)
			r.Order = round*6 + cell
			runs = append(runs, r)
		}
	}
	return runs
}

func onHost(name string) func(*Header, *Environment) {
	return func(_ *Header, e *Environment) { e.Host = name }
}

func mustMerge(t testing.TB, out string, dirs ...string) (*Merged, *Content) {
	t.Helper()
	m, err := Merge(out, dirs)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Read(out)
	if err != nil {
		t.Fatal(err)
	}
	return m, c
}

// Shards of one machine make the journal that one process would have made.
func TestMergeOnOneMachine(t *testing.T) {
	one, two, three := shardOf(t, 1, nil), shardOf(t, 2, nil), shardOf(t, 3, nil)
	out := filepath.Join(t.TempDir(), "new", "all")
	m, c := mustMerge(t, out, three, one, two)
	want := header
	want.Cells, want.Runs, want.Created = 6, 12, header.Created.AddDate(0, 0, 1)
	runs := slices.Concat(runsOfShard(1), runsOfShard(2), runsOfShard(3))
	if d := cmp.Diff(&Content{Header: want, Environment: environment, Runs: runs}, c); d != "" {
		t.Errorf("content (-want +got):\n%s", d)
	}
	parts := []Part{{one, Shard{1, 3, 2, 4}, "a", 2, 4, false}, {two, Shard{2, 3, 2, 4}, "a", 2, 4, false}, {three, Shard{3, 3, 2, 4}, "a", 2, 4, false}}
	if d := cmp.Diff(&Merged{Header: want, Parts: parts}, m); d != "" {
		t.Errorf("what it says (-want +got):\n%s", d)
	}
	// The order of the folders does not matter.
	other := filepath.Join(t.TempDir(), "other")
	mustMerge(t, other, two, three, one)
	for _, name := range []string{RunsFile, ScenarioFile, EnvironmentFile} {
		a, _ := os.ReadFile(filepath.Join(out, name))
		b, _ := os.ReadFile(filepath.Join(other, name))
		if !bytes.Equal(a, b) || len(a) == 0 {
			t.Errorf("%s differs", name)
		}
	}
	left, err := os.ReadDir(filepath.Dir(out))
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// Runs of several machines name theirs, and a missing shard leaves a result
// that can be continued.
func TestMergeOfSeveralMachines(t *testing.T) {
	big := func(_ *Header, e *Environment) { e.Host, e.Cores = "far", 64 }
	out := filepath.Join(t.TempDir(), "all")
	m, c := mustMerge(t, out, shardOf(t, 3, onHost("far")), shardOf(t, 2, big))
	if len(m.Missing) != 1 || m.Missing[0] != 1 || m.Parts[0].Machine != "far" || m.Parts[1].Machine != "far (2)" {
		t.Errorf("%+v", m)
	}
	if c.Environment.Cores != 64 || c.Environment.Machines["far"].Cores != 64 || c.Environment.Machines["far (2)"].Cores != 2 {
		t.Errorf("machines: %+v", c.Environment)
	}
	for _, r := range c.Runs {
		if want := map[int]string{1: "far", 2: "far (2)"}[r.Order%3]; r.Machine != want {
			t.Errorf("%s was made on %q, want %q", r.Cell, r.Machine, want)
		}
	}
	j, _, err := Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if !j.OK("cell1", 1) || j.OK("cell0", 0) {
		t.Error("the merged journal is wrong about what it holds")
	}
	mustAppend(t, j, sample("cell0", 0))
	// A machine that nobody knows is damage.
	r := sample("cell0", 1)
	r.Machine = "nowhere"
	mustAppend(t, j, r)
	_, err = Read(out)
	wantError(t, err, "nowhere", EnvironmentFile)
}

func TestMergeRefuses(t *testing.T) {
	one := shardOf(t, 1, nil)
	for name, c := range map[string]struct {
		other string
		want  []string
	}{
		"no shard":       {shardOf(t, 2, func(h *Header, _ *Environment) { h.Shard = nil }), []string{"is no shard", "--shard"}},
		"scenario":       {shardOf(t, 2, func(h *Header, _ *Environment) { h.Scenario = "slow" }), []string{"another scenario", "slow", "quick"}},
		"methodology":    {shardOf(t, 2, func(h *Header, _ *Environment) { h.Fingerprint = "def" }), []string{"methodology", "versus diff"}},
		"other split":    {shardOf(t, 2, func(h *Header, _ *Environment) { h.Shard.Of = 4 }), []string{"split in another way", "2/4", "1/3"}},
		"other plan":     {shardOf(t, 2, func(h *Header, _ *Environment) { h.Cells = 7 }), []string{"plan", "7 cells"}},
		"other versus":   {shardOf(t, 2, func(h *Header, _ *Environment) { h.Versus = "2.0" }), []string{"version of versus", "1.0", "2.0"}},
		"other program":  {shardOf(t, 2, func(_ *Header, e *Environment) { e.Versus = "abc" }), []string{"other programs", "SHA-256"}},
		"other driver":   {shardOf(t, 2, func(_ *Header, e *Environment) { e.Versions["grpc: grpc"] = "v2" }), []string{"grpc: grpc", "v1 -> v2"}},
		"twice":          {shardOf(t, 1, nil), []string{"both shard 1/3", "leave one"}},
		"overlap":        {shardOf(t, 1, func(h *Header, _ *Environment) { h.Shard.Number = 2 }), []string{"line 1", "cell0", "in shard 1 too"}},
		"not a journal":  {t.TempDir(), []string{"not a journal"}},
		"future":         {edited(t, ScenarioFile, `"format": 3`, `"format": 4`), []string{"format is 4"}},
		"damaged":        {edited(t, RunsFile, `"run":1`, `"run":7`), []string{RunsFile, "line 3", "checksum"}},
		"no record":      {edited(t, RunsFile, `{"sum"`, `{"sam"`), []string{RunsFile, "line 1", "not a record"}},
		"no cell":        {planted(t, `{"run":1}`), []string{RunsFile, "line 5", "not a record"}},
		"another type":   {planted(t, `{"cell":1}`), []string{RunsFile, "line 5", "cell"}},
		"no JSON":        {planted(t, `{"cell":`), []string{RunsFile, "line 5"}},
		"a machine":      {planted(t, `{"cell":"cell1","run":3,"machine":"a"}`), []string{RunsFile, "line 5", "machine"}},
		"a long line":    {planted(t, strings.Repeat("x", MaxLine)), []string{RunsFile, "line 5", "limit"}},
		"no environment": {edited(t, EnvironmentFile, "{", "["), []string{EnvironmentFile, "damaged"}},
	} {
		out := filepath.Join(t.TempDir(), "out")
		_, err := Merge(out, []string{one, c.other})
		wantError(t, err, append(c.want, filepath.Base(c.other))...)
		if left, _ := filepath.Glob(out + "*"); len(left) > 0 {
			t.Errorf("%s: left behind: %v", name, left)
		}
	}
	_, err := Merge(t.TempDir(), nil)
	wantError(t, err, "nothing to merge")
	_, err = Merge(one, []string{one})
	wantError(t, err, "not empty", "choose another folder")
	j, _, err := Open(one)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	_, err = Merge(filepath.Join(t.TempDir(), "out"), []string{one})
	wantError(t, err, "in use", "shard 1/3")
}

// edited is shard 2 with a text replaced in one of its files.
func edited(t *testing.T, file, old, new string) string {
	t.Helper()
	dir := shardOf(t, 2, nil)
	name := filepath.Join(dir, file)
	text, err := os.ReadFile(name)
	if err != nil || !strings.Contains(string(text), old) {
		t.Fatal(err, "no such text")
	}
	if err := os.WriteFile(name, []byte(strings.Replace(string(text), old, new, 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// planted is shard 2 with one more record, behind a right checksum.
func planted(t *testing.T, run string) string {
	t.Helper()
	dir := shardOf(t, 2, nil)
	f, err := os.OpenFile(filepath.Join(dir, RunsFile), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Write(frame([]byte(run)))
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// The journals may come from anyone: no record with a right checksum can
// mislead a merge or stop it.
func FuzzMergedRecord(f *testing.F) {
	f.Add([]byte(`{"cell":"a","run":0,"order":0,"start":"2026-11-30T12:00:00Z","status":"ok","values":{"x":1}}`))
	f.Add([]byte(` { "cell":"a","run":1,"status":"failed","error":"x","Machine":""}`))
	f.Add([]byte(`{"run":1,"run":-1,"cell":"a\u0000"}`))
	f.Fuzz(func(t *testing.T, run []byte) {
		m := &merger{cells: map[string]int{"known": 1}, machines: map[string]*Environment{}}
		was, err := decode(frame(run))
		r, line, refused := m.convert(&source{Part: Part{Shard: Shard{Number: 2, Of: 2}, Machine: `"far" (2)`}}, frame(run))
		if err != nil || refused != nil {
			return
		}
		is, err := decode(line)
		if err != nil {
			t.Fatalf("it can't be read any more: %v", err)
		}
		if is.Machine != `"far" (2)` || r.Cell != is.Cell || r.Run != is.Run || m.cells[r.Cell] != 2 {
			t.Errorf("taken for %+v, but it is %+v", r, is)
		}
		if is.Machine = ""; !cmp.Equal(was, is) {
			t.Errorf("changed:\n%s", cmp.Diff(was, is))
		}
	})
}

// What one machine does not have is skipped there; the files of a scenario may
// differ in what is not methodology; a torn line is left out.
func TestMergeTolerates(t *testing.T) {
	poor := shardOf(t, 2, func(h *Header, e *Environment) {
		e.Versions = map[string]string{"ice: ice": "3.7"}
		h.Sources = map[string]string{"quick.hcl": "# another comment"}
	})
	if err := os.Truncate(filepath.Join(poor, RunsFile), sizeOf(t, filepath.Join(poor, RunsFile))-1); err != nil {
		t.Fatal(err)
	}
	out := t.TempDir() // there, and empty
	m, c := mustMerge(t, out, shardOf(t, 1, nil), poor)
	if want := map[string]string{"grpc: grpc": "v1", "ice: ice": "3.7"}; !maps.Equal(c.Environment.Versions, want) {
		t.Errorf("versions %v", c.Environment.Versions)
	}
	if len(c.Runs) != 7 || m.Parts[0].Torn || !m.Parts[1].Torn || m.Parts[1].Runs != 3 || !slices.Equal(m.Files, []string{poor}) {
		t.Errorf("%d runs, %+v", len(c.Runs), m)
	}
}

func sizeOf(t *testing.T, name string) int64 {
	t.Helper()
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// mergeEnv has the arguments of a Merge that the test binary, run again as a
// child, is to do.
const mergeEnv = "VERSUS_TEST_MERGE"

// A merge that is killed leaves nothing that looks like a result, and the next
// one succeeds.
func TestKilledMerge(t *testing.T) {
	one, two := shardOf(t, 1, nil), shardOf(t, 2, nil)
	out := filepath.Join(t.TempDir(), "out")
	// The records of the second shard come through a pipe, and don't end.
	pipe := filepath.Join(two, RunsFile)
	text, err := os.ReadFile(pipe)
	if err == nil {
		err = os.Remove(pipe)
	}
	if err == nil {
		err = unix.Mkfifo(pipe, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), mergeEnv+"="+strings.Join([]string{out, one, two}, "\n"))
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	// A pipe opens when somebody reads it.
	w, err := os.OpenFile(pipe, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	// More than fits into the pipe, so that some of it has been read.
	if _, err := w.Write(bytes.Repeat(text, 1+(1<<20)/len(text))); err != nil {
		t.Fatal(err)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	child.Wait()
	w.Close()
	if _, err := os.Stat(out); !os.IsNotExist(err) {
		t.Errorf("there is a result: %v", err)
	}
	if _, err := Read(out + partial); err == nil {
		t.Error("what is left looks like a result")
	}
	if _, err := os.Stat(filepath.Join(out+partial, RunsFile)); err != nil {
		t.Errorf("it was killed too early: %v", err)
	}
	if err := os.Remove(pipe); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(pipe, text, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, c := mustMerge(t, out, one, two); len(c.Runs) != 8 {
		t.Errorf("%d runs", len(c.Runs))
	}
	if left, _ := filepath.Glob(out + "*"); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

// BenchmarkMerge merges 10,000 cells with 3 runs each in 8 shards, each from
// another machine.
func BenchmarkMerge(b *testing.B) {
	const cells, runs, shards = 10_000, 3, 8
	latency := latencies(b, 1)
	var dirs []string
	var bytes int64
	for n := range shards {
		h, e := header, environment
		h.Cells, h.Runs, h.Shard = cells, cells*runs, &Shard{n + 1, shards, cells / shards, cells / shards * runs}
		e.Host = fmt.Sprint("node", n)
		dir := filepath.Join(b.TempDir(), fmt.Sprint(n))
		j, err := Create(dir, h, e)
		if err != nil {
			b.Fatal(err)
		}
		// Not by Append, which takes the time of a disk for each run.
		for i := n; i < cells*runs; i += shards {
			r := sample(fmt.Sprintf("capacity[backend=grpc,payload=%d]", i%cells), i/cells)
			r.Order = i
			r.Roles["client"].Result.Latency, r.Roles["client"].Result.Received = latency, 10_000
			line, err := encode(&r)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := j.file.Write(line); err != nil {
				b.Fatal(err)
			}
			bytes += int64(len(line))
		}
		j.Close()
		dirs = append(dirs, dir)
	}
	out := filepath.Join(b.TempDir(), "out")
	b.SetBytes(bytes)
	for b.Loop() {
		if _, err := Merge(out, dirs); err != nil {
			b.Fatal(err)
		}
		os.RemoveAll(out)
	}
}
