package run

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"versus/drivers/protocol"
	"versus/dsl"
	"versus/interp/host"
	"versus/interp/host/relay"
)

// The test binary plays other programs when these variables are set.
const (
	scriptEnv      = "VERSUS_TEST_SCRIPT"      // a worker; the value is its script
	interpreterEnv = "VERSUS_TEST_INTERPRETER" // a versus; the value is the phase to stay in
)

func TestMain(m *testing.M) {
	if script, ok := os.LookupEnv(scriptEnv); ok {
		os.Exit(work(script))
	}
	if len(os.Args) > 2 && os.Args[1] == "worker" && os.Args[2] == host.PlacedFlag {
		os.Exit(host.Placed(os.Stdin, os.Stdout))
	}
	if len(os.Args) > 2 && os.Args[1] == "worker" && os.Args[2] == host.RelayFlag {
		os.Exit(relay.Main(os.Args[3:]))
	}
	if len(os.Args) > 3 && os.Args[1] == "step" {
		os.Exit(stepClock(os.Args[2], os.Args[3], os.Args[4:]))
	}
	if len(os.Args) == 4 && os.Args[1] == "delayed" {
		os.Exit(delayed(os.Args[2], os.Args[3]))
	}
	if len(os.Args) == 4 && os.Args[1] == "worker" {
		os.Exit(realWorker(os.Args[2], os.Args[3]))
	}
	switch at := os.Getenv(interpreterEnv); at {
	case "":
	case "apart":
		os.Exit(interpretApart())
	case "linked":
		os.Exit(interpretApart(&dsl.Link{Name: "x", Between: []string{"near", "far"}, Delay: 0.02, Via: dsl.ViaRelay}))
	case "far":
		os.Exit(interpretFar())
	default:
		os.Exit(interpret(phase(at)))
	}
	// The race detector would let each worker sleep a second at its end.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	os.Exit(m.Run())
}

// A script is "TYPE:FAULT": what the worker does wrong when a message of the
// type arrives, instead of answering it. The type hello is its start. Without a
// script it is a good worker.
func work(script string) int {
	at, fault, _ := strings.Cut(script, ":")
	in, out := protocol.NewDecoder(os.Stdin), protocol.NewEncoder(os.Stdout)
	active := strings.HasSuffix(os.Args[len(os.Args)-1], "client")
	if at == protocol.TypeHello {
		if done, status := misbehave(fault, out); done {
			return status
		}
	}
	out.Encode(protocol.Message{Type: protocol.TypeHello, Protocol: protocol.Version, Worker: "fake", PID: os.Getpid()})
	for {
		m, err := in.Decode()
		if err != nil {
			return 0
		}
		if m.Type == at {
			if done, status := misbehave(fault, out); done {
				return status
			}
		}
		if m.Type == protocol.TypeStop {
			return 0
		}
		out.Encode(answer(m, active))
	}
}

// answer is what a good worker says.
func answer(m protocol.Message, active bool) protocol.Message {
	result := &protocol.Result{Elapsed: 0.01, CPUUser: 0.001}
	switch m.Type {
	case protocol.TypePrepare:
		peers := fmt.Sprint(m.Peers)
		return protocol.Message{Type: protocol.TypeReady, ClockShift: m.ClockShift,
			Addresses: map[string]string{"address": "here"},
			Effective: map[string]string{"peers": peers, "gomaxprocs": os.Getenv("GOMAXPROCS"), "gogc": os.Getenv("GOGC"), "clock_shift": fmt.Sprint(m.ClockShift)}}
	case protocol.TypeWarmUp:
		return protocol.Message{Type: protocol.TypeWarm}
	case protocol.TypeMeasure:
		if !active {
			return protocol.Message{Type: protocol.TypeMeasuring}
		}
		result.Sent, result.Received = 10, 9
	case protocol.TypeFinish:
		result.Received = m.Sent
	}
	return protocol.Message{Type: protocol.TypeResult, Result: result}
}

// misbehave does what the fault says; done means that the worker ends with the
// status, otherwise it goes on as a good one.
func misbehave(fault string, out *protocol.Encoder) (done bool, status int) {
	fault, argument, _ := strings.Cut(fault, "=")
	switch fault {
	case "exit":
		fmt.Fprintln(os.Stderr, "out of luck")
		return true, 3
	case "kill":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "hang":
		hang()
	case "garbage":
		fmt.Println("Listening on port 80")
		hang()
	case "half":
		fmt.Print(`{"type":"wa`)
		return true, 4
	case "flood":
		junk := strings.Repeat("x", 64<<10)
		for {
			if _, err := fmt.Print(junk); err != nil {
				return true, 1
			}
		}
	case "chatter":
		for out.Encode(protocol.Message{Type: protocol.TypeReady}) == nil {
		}
	case "complain":
		for range 100 {
			fmt.Fprintln(os.Stderr, strings.Repeat("many words ", 100))
		}
		fmt.Fprint(os.Stderr, "\x1b[31mred\x00 last word")
		return true, 1
	case "unshifted":
		out.Encode(protocol.Message{Type: protocol.TypeReady})
		hang()
	case "version":
		fmt.Println(`{"type":"hello","protocol":7}`)
		hang()
	case "error":
		out.Encode(protocol.Message{Type: protocol.TypeError, Error: "no such topic"})
		return true, 1
	case "wrong":
		out.Encode(protocol.Message{Type: protocol.TypeHello, Protocol: protocol.Version})
	case "lie":
		out.Encode(protocol.Message{Type: protocol.TypeResult, Result: &protocol.Result{Elapsed: -1}})
	case "close":
		os.Stdout.Close()
		hang()
	case "deaf", "blind":
		if fault == "deaf" {
			os.Stdin.Close()
		}
		out.Encode(protocol.Message{Type: protocol.TypeHello, Protocol: protocol.Version})
		hang()
	case "child", "escape": // a child that holds all pipes and stays; or also leaves the group
		cmd := exec.Command("sleep", "1000")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: fault == "escape"}
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		if err := cmd.Start(); err != nil {
			return true, 1
		}
		os.WriteFile(argument, fmt.Append(nil, cmd.Process.Pid), 0o666)
	case "orphan":
		misbehave("child="+argument, out)
		return true, 5
	}
	return false, 0
}

// hang waits for nothing, and ignores polite signals.
func hang() {
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGPIPE)
	r, w, _ := os.Pipe()
	r.Read(make([]byte, 1))
	w.Close()
}
