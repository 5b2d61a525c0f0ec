package host

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// PlacedFlag is the argument of `versus worker` on a host of kind ssh or exec, where
// it is the attendant.
const PlacedFlag = "-placed"

// greeting is the first line of what is started on another host. What comes
// before it is from a shell, which may say good morning. The number changes with
// what is said after it.
const greeting = "versus -placed 3"

// maxNoise bounds what may come before the greeting, in bytes.
const maxNoise = 64 << 10

// skipToGreeting reads up to the greeting, and returns the beginning of what came
// before it. It is an error if there is none, or that of another versus.
func skipToGreeting(r *bufio.Reader) (noise string, err error) {
	const quote = 200
	word, _, _ := strings.Cut(greeting, " ")
	for total := 0; total <= maxNoise; {
		part, err := r.ReadSlice('\n')
		if err != nil && err != bufio.ErrBufferFull {
			return strings.TrimSpace(noise + string(part)), err
		}
		total += len(part)
		switch line := strings.TrimSuffix(string(part), "\n"); {
		case line == greeting:
			return noise, nil
		case line == greeting+"\r":
			return noise, errors.New("there is a terminal in between, which changes what passes: leave out what asks for one, such as -t")
		case strings.HasPrefix(line, word+" "+PlacedFlag+" ") && len(line) < 2*len(greeting):
			return noise, fmt.Errorf("the versus there is of another version: it says %q where this one says %q", Clip(line), greeting)
		}
		noise += string(part[:min(len(part), quote-len(noise))])
	}
	return noise, fmt.Errorf("no versus answers in the first %d bytes", maxNoise)
}

// maxLine bounds what both sides read of each other, in bytes.
const maxLine = 1 << 20

// Placed is the part of a host of kind ssh or exec, started there as `versus worker
// -placed`: the attendant. It answers questions about the host, starts workers and has
// the conversations with them go through, until its input ends; then it sees to it that
// nothing of them is left. It returns the exit status.
func Placed(in io.Reader, out io.Writer) int {
	// Nobody may be there to write to any more: that is an error, and no death, since
	// workers are to be ended.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	_, err := io.WriteString(out, "\n"+greeting+"\n")
	if err == nil {
		err = attend(in, out)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "versus: on this host: %v\n", err)
		return 1
	}
	return 0
}
