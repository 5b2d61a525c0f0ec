package journal

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// fillEnv names the journal that the test binary, run again as a child, fills
// until the system refuses to write more.
const fillEnv = "VERSUS_TEST_FILL"

func TestMain(m *testing.M) {
	if dir := os.Getenv(fillEnv); dir != "" {
		os.Exit(fill(dir))
	}
	if args := strings.Split(os.Getenv(mergeEnv), "\n"); len(args) > 1 {
		if _, err := Merge(args[0], args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1) // it was to be killed
	}
	os.Exit(m.Run())
}

// fill appends to the journal beyond a limit on the size of its file, and
// prints how many runs were acknowledged.
func fill(dir string) int {
	const limit = 10_000
	signal.Ignore(unix.SIGXFSZ)
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
		fmt.Println(err)
		return 1
	}
	j, _, err := Open(dir)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	for n := 0; ; n++ {
		if err := j.Append(sample("a", n)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			fmt.Print(n)
			return 0
		}
	}
}

func TestARealLimitLeavesAValidJournal(t *testing.T) {
	dir, j := mustCreate(t)
	j.Close()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fillEnv+"="+dir)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("child: %v: %s", err, out)
	}
	c, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(len(c.Runs)); got != string(out) || got == "0" || c.Warnings != nil {
		t.Errorf("%s runs were acknowledged; the journal holds %s, with warnings %v", out, got, c.Warnings)
	}
}

// asNobody calls f on a thread that has no rights beyond those of everybody.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Getuid() != 0 {
		f() // a folder of mode 0555 is closed to its owner too
		return
	}
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with its goroutine
		const nobody = 65534
		_, err := unix.SetfsuidRetUid(nobody)
		if err == nil {
			f()
		}
		done <- err
	}()
	if err := <-done; err != nil {
		t.Skip(err)
	}
}

func TestReadOnlyFolder(t *testing.T) {
	dir, j := mustCreate(t)
	mustAppend(t, j, sample("a", 0))
	j.Close()
	for _, name := range []string{dir, filepath.Join(dir, RunsFile)} {
		if err := os.Chmod(name, 0o555); err != nil {
			t.Fatal(err)
		}
	}
	defer os.Chmod(dir, 0o777)
	// TempDir's own folder may be closed to others.
	for d := filepath.Dir(dir); d != filepath.Dir(d) && d != os.TempDir(); d = filepath.Dir(d) {
		os.Chmod(d, 0o755)
	}
	var content *Content
	var readErr, openErr, createErr error
	asNobody(t, func() {
		content, readErr = Read(dir)
		_, _, openErr = Open(dir)
		_, createErr = Create(filepath.Join(dir, "new"), header, environment)
	})
	if readErr != nil || len(content.Runs) != 1 {
		t.Errorf("Read gives %v, %v", content, readErr)
	}
	wantError(t, openErr, "can't be written", "permission denied")
	wantError(t, createErr, "can't be created", "permission denied")
}
