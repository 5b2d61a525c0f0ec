package native_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"versus/drivers"
	"versus/drivers/native"
	"versus/drivers/workertest"
)

// build builds one of the programs in testdata, in the cache of the user, so
// that it takes its time only once. It skips the test where the compiler is missing.
func build(tb testing.TB, name string) string {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".cpp"))
	if err != nil {
		tb.Fatal(err)
	}
	w := native.Worker{Name: "test-" + name, Language: native.Cpp, Files: fstest.MapFS{name + ".cpp": {Data: text}}}
	return workertest.Built(tb, w)
}

// example builds one of the examples of the kit in Rust, beside the workers.
func example(tb testing.TB, name string) string {
	tb.Helper()
	workertest.Need(tb, native.Worker{Name: name, Language: native.Rust}.Lacks())
	cache, err := os.UserCacheDir()
	if err != nil {
		tb.Fatal(err)
	}
	target := filepath.Join(cache, "versus", "workers", "cargo")
	cmd := exec.CommandContext(tb.Context(), "cargo", "build", "--quiet", "--release", "--locked", "--package", "versus",
		"--example", name, "--target-dir", target)
	cmd.Dir = "rust"
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(target, "release", "examples", name)
}

// kit is the kit in C++ or Rust, as testdata/vectors.cpp and
// rust/kit/examples/vectors.rs let it be asked.
type kit struct {
	in  *json.Encoder
	out *bufio.Reader
}

// eachKit runs the test for the kit of each language.
func eachKit(t *testing.T, test func(*testing.T, *kit)) {
	t.Run("C++", func(t *testing.T) { test(t, startKit(t, build(t, "vectors"))) })
	t.Run("Rust", func(t *testing.T) { test(t, startKit(t, example(t, "vectors"))) })
}

func startKit(t testing.TB, program string) *kit {
	t.Helper()
	cmd := exec.Command(program)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	return &kit{json.NewEncoder(in), bufio.NewReader(out)}
}

// ask has the kit answer a question into answer, and returns its error.
func (k *kit) ask(t testing.TB, question map[string]any, answer any) (failure string) {
	t.Helper()
	if err := k.in.Encode(question); err != nil {
		t.Fatal(err)
	}
	line, err := k.out.ReadBytes('\n')
	if err != nil {
		t.Fatalf("%v: %v", question, err)
	}
	var got struct {
		Answer json.RawMessage
		Error  string
	}
	if err := json.Unmarshal(line, &got); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	if got.Error == "" && answer != nil {
		if err := json.Unmarshal(got.Answer, answer); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	return got.Error
}

func TestBuildIsIncremental(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	source := fstest.MapFS{"a.c": {Data: []byte("int answer(void) { return 42; }\n")},
		"b.cpp": {Data: []byte("extern \"C\" int answer(void);\nint main() { return answer(); }\n")}}
	w := native.Worker{Name: "test-build", Language: native.Cpp, Files: source}
	workertest.Need(t, w.Lacks())
	if _, err := w.Binary(t.Context()); err == nil || !strings.Contains(err.Error(), "versus drivers build test-build") {
		t.Fatalf("got %v; want an error that tells how to build it", err)
	}
	if found := w.Probe(t.Context()); found.OK || found.Get != "versus drivers build test-build" {
		t.Errorf("the probe found %+v", found)
	}
	for i, want := range []bool{true, false} {
		got, err := w.Build(t.Context())
		if err != nil || got != want {
			t.Fatalf("build %d: %v, %v; want %v", i, got, err, want)
		}
	}
	first := workertest.Built(t, w)
	if err := exec.Command(first).Run(); err == nil || err.(*exec.ExitError).ExitCode() != 42 {
		t.Errorf("the program says %v", err)
	}
	if found := w.Probe(t.Context()); !found.OK || found.Versions["g++"] == "" {
		t.Errorf("the probe found %+v", found)
	}
	source["a.c"] = &fstest.MapFile{Data: []byte("int answer(void) { return 43; }\n")}
	if second := workertest.Built(t, w); second == first {
		t.Error("other sources have made the same program")
	}
}

func TestBuildFails(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	w := native.Worker{Name: "test-broken", Language: native.Cpp, Files: fstest.MapFS{"a.cpp": {Data: []byte("int main() { nonsense }\n")}}}
	workertest.Need(t, w.Lacks())
	if _, err := w.Build(t.Context()); err == nil || !strings.Contains(err.Error(), "nonsense") {
		t.Errorf("got %v; want what the compiler says", err)
	}
	w.Generate = [][]string{{"false"}}
	if _, err := w.Build(t.Context()); err == nil || !strings.Contains(err.Error(), "false: exit status 1") {
		t.Errorf("got %v; want the command that failed", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.Build(ctx); err == nil {
		t.Error("built after it was cancelled")
	}
	left, err := filepath.Glob(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "versus", "workers", "building-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestMissing(t *testing.T) {
	t.Setenv("NOWHERE", "/nowhere")
	w := native.Worker{Name: "missing", Language: native.Cpp, Files: fstest.MapFS{}, Needs: []drivers.Need{
		{Package: "libnone-dev", File: "${NOWHERE}/none.h"}, {Package: "none", Command: "no-such-program"},
		{Package: "libnone-dev", File: "/nowhere/*"}, {Package: "base-files", File: "/etc/passw?"},
	}}
	missing := strings.Join(w.Missing(), " ")
	if !strings.HasSuffix(missing, "libnone-dev none") {
		t.Errorf("missing are %q", missing)
	}
	found := w.Probe(t.Context())
	if found.OK || !strings.Contains(found.Get, "apt-get install") || !strings.HasSuffix(found.Get, "libnone-dev none && versus drivers build missing") {
		t.Errorf("the probe found %+v", found)
	}
	if _, err := w.Build(t.Context()); err == nil || !strings.Contains(err.Error(), "libnone-dev none") {
		t.Errorf("got %v; want the packages", err)
	}
}
