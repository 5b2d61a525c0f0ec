package all_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"versus/drivers"
	"versus/drivers/all"
	"versus/drivers/protocol"
	"versus/drivers/worker"
)

// workerEnv makes this test program a worker: its value is "DRIVER ROLE".
const workerEnv = "VERSUS_TEST_WORKER"

func TestMain(m *testing.M) {
	if name, ok := os.LookupEnv(workerEnv); ok {
		driver, role, _ := strings.Cut(name, " ")
		roles, err := all.Worker(driver, role)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		os.Exit(worker.Main(driver, role, roles, os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// process is one role, a process.
type process struct {
	name    string
	command *exec.Cmd
	input   io.Closer
	encoder *protocol.Encoder
	decoder *protocol.Decoder
}

func start(tb testing.TB, w drivers.Workload, role drivers.Role) *process {
	tb.Helper()
	p := &process{name: role.Name, command: exec.Command(os.Args[0])}
	// With the race detector a process would sleep a second before it ends.
	p.command.Env = append(append(os.Environ(), role.Env...), workerEnv+"="+w.Driver+" "+role.Name, "GORACE=atexit_sleep_ms=0")
	p.command.Stderr = os.Stderr
	in, err := p.command.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := p.command.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { p.stop() }) // the end of its input ends it in any case
	p.input, p.encoder, p.decoder = in, protocol.NewEncoder(in), protocol.NewDecoder(out)
	p.expect(tb, protocol.TypeHello)
	return p
}

func (p *process) expect(tb testing.TB, kind string) protocol.Message {
	tb.Helper()
	m, err := p.decoder.Decode()
	if err != nil || m.Type != kind {
		tb.Fatalf("%s: got %q %s, %v; want %q", p.name, m.Type, m.Error, err, kind)
	}
	return m
}

func (p *process) ask(tb testing.TB, m protocol.Message, answer string) protocol.Message {
	tb.Helper()
	if err := p.encoder.Encode(m); err != nil {
		tb.Fatalf("%s: %v", p.name, err)
	}
	return p.expect(tb, answer)
}

func (p *process) stop() {
	_ = p.encoder.Encode(protocol.Message{Type: protocol.TypeStop})
	p.input.Close()
	_ = p.command.Wait()
}
