package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"versus/interp/host/relay"
)

// RelayFlag is the first argument of `versus worker` as the relay of a link; those
// of relay.Main follow.
const RelayFlag = "-relay"

// relayProcess is the relay of a link, a process that ends with versus.
type relayProcess struct {
	cmd   *exec.Cmd
	in    *os.File
	out   *os.File
	dec   *json.Decoder
	words tail
}

// newRelay starts a relay between two devices. The devices are then the relay's
// alone, and gone with it.
func newRelay(seed uint64, devices [2]*os.File) (*relayProcess, error) {
	defer devices[0].Close()
	defer devices[1].Close()
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirIn.Close()
	out, theirOut, err := os.Pipe()
	if err != nil {
		in.Close()
		return nil, err
	}
	defer theirOut.Close()
	p := &relayProcess{in: in, out: out, dec: json.NewDecoder(out)}
	p.cmd = exec.Command(self(), "worker", RelayFlag, fmt.Sprint(seed))
	p.cmd.Env, _ = environ(nil, nil)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirIn, theirOut, &p.words
	p.cmd.ExtraFiles = devices[:]
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	l, err := here()
	if err == nil {
		err = l.start(p.cmd, nil)
	}
	if err != nil {
		p.in.Close()
		p.out.Close()
		return nil, err
	}
	return p, nil
}

// ask tells the relay what to do from now on, if settings is not nil, and returns
// what it did since it was last asked.
func (p *relayProcess) ask(settings *relay.Settings) (c relay.Counts, err error) {
	end := time.Now().Add(10 * time.Second)
	p.in.SetWriteDeadline(end)
	p.out.SetReadDeadline(end)
	err = json.NewEncoder(p.in).Encode(relay.Request{Settings: settings})
	if err == nil {
		err = p.dec.Decode(&c)
	}
	switch {
	case err == nil:
		return c, nil
	case errors.Is(err, io.EOF), errors.Is(err, syscall.EPIPE):
		p.close() // it says why in its last words
		return c, fmt.Errorf("its relay ended: %s", p.words.String())
	}
	return c, fmt.Errorf("its relay does not answer: %w", err)
}

// close ends the relay. It may be called again.
func (p *relayProcess) close() {
	if p == nil {
		return
	}
	p.cmd.Process.Kill()
	p.cmd.Wait()
	p.in.Close()
	p.out.Close()
}
