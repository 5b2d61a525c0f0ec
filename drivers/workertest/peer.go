package workertest

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// Round is how long each side of a comparison runs in one round, seconds.
const Round = 0.25

// rounds is how often the sides take turns.
const rounds = 30

// Compare measures a driver and a program that does the same by hand, in turns.
// The best round of each counts, so that what else the machine does counts for
// neither. It reports both rates, their ratio, and the spread of the rounds.
func Compare(b *testing.B, driver, peer func() float64) {
	b.Helper()
	var ours, theirs []float64
	for range rounds {
		ours, theirs = append(ours, driver()), append(theirs, peer())
	}
	b.ReportMetric(0, "ns/op") // of all rounds together: means nothing
	b.ReportMetric(slices.Max(ours), "calls/s")
	b.ReportMetric(slices.Max(theirs), "peer-calls/s")
	b.ReportMetric(slices.Max(ours)/slices.Max(theirs), "x-peer")
	Spread(b, ours, theirs)
}

// Spread reports the quartiles of the ratios of the rounds of a comparison: how
// much what else the machine does has to say.
func Spread(b *testing.B, ours, theirs []float64) {
	var ratios []float64
	for i := range ours {
		ratios = append(ratios, ours[i]/theirs[i])
	}
	slices.Sort(ratios)
	for _, q := range []int{1, 2, 3} {
		b.ReportMetric(ratios[q*(len(ratios)-1)/4], fmt.Sprintf("x-q%d", q))
	}
}

// StartPeer starts a program that serves until its input ends, and returns the
// first line that it prints.
func StartPeer(tb testing.TB, program string, args ...string) string {
	tb.Helper()
	cmd := exec.Command(program, args...)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		in.Close()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		tb.Fatalf("%s: %v", program, err)
	}
	return strings.TrimSpace(line)
}

// Rate runs a program that prints a rate, to its end.
func Rate(tb testing.TB, program string, args ...string) float64 {
	tb.Helper()
	out, err := exec.Command(program, args...).Output()
	if err != nil {
		tb.Fatalf("%s: %v", program, err)
	}
	rate, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	if err != nil {
		tb.Fatalf("%s: %v", program, err)
	}
	return rate
}
