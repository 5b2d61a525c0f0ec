package grpc

import (
	"context"
	"strings"
	"testing"

	ggrpc "google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"versus/drivers"
	"versus/drivers/protocol"
	"versus/drivers/worker"
)

func rpc(p drivers.Payload) drivers.Workload {
	return drivers.Workload{Driver: "grpc", Pattern: drivers.RPC, Call: "twoway", Payload: p}
}

func bytes(n int) drivers.Payload { return drivers.Payload{Kind: "bytes", Bytes: n} }

func TestCheck(t *testing.T) {
	oneway, pubsub := rpc(bytes(1)), rpc(bytes(1))
	oneway.Call, pubsub.Pattern = "oneway", drivers.PubSub
	for _, c := range []struct {
		name, want string // want is empty where it can run
		w          drivers.Workload
	}{
		{"usual", "", rpc(bytes(512))},
		{"empty", "", rpc(bytes(0))},
		{"largest", "", rpc(bytes(MaxPayload))},
		{"too large", "limit", rpc(bytes(MaxPayload + 1))},
		{"text", "", rpc(drivers.Payload{Kind: "lines", Text: "hello"})},
		{"too much text", "limit", rpc(drivers.Payload{Kind: "lines", Text: strings.Repeat("x", MaxPayload+1)})},
		{"structs", "structs", rpc(drivers.Payload{Kind: "structs", Count: 3})},
		{"oneway", "twoway", oneway},
		{"pubsub", "pubsub", pubsub},
	} {
		err := Driver.Verify(c.w)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestRolesAreWorkers(t *testing.T) {
	w := rpc(bytes(1))
	w.Options = map[string]any{"gomaxprocs": 2.0}
	roles, err := Driver.Roles(w)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range roles {
		if Roles[r.Name] == nil {
			t.Errorf("no worker plays %q", r.Name)
		}
		if r.Active != (i == len(roles)-1) || len(r.Env) != 1 || r.Env[0] != "GOMAXPROCS=2" {
			t.Errorf("%+v", r)
		}
	}
	if a := Driver.Probe(context.Background()); !a.OK || a.Versions[grpcModule] == "" {
		t.Errorf("%+v", a)
	}
}

// open starts a server and callers in this process.
func open(t testing.TB, w drivers.Workload, n int) []worker.Caller {
	t.Helper()
	ready, shut, err := serve(t.Context(), worker.Setup{Workload: w})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := shut(); err != nil {
			t.Error(err)
		}
	})
	peers := map[string]map[string]string{"server": ready.Addresses}
	callers, _, closeClient, err := connect(t.Context(), worker.Setup{Workload: w, Peers: peers}, n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeClient() })
	return callers
}

// Every payload that Check lets pass really passes: also beyond gRPC's default
// limit of 4 MiB.
func TestSizes(t *testing.T) {
	for _, n := range []int{0, 1, 512, 4<<20 + 1} {
		for _, c := range open(t, rpc(bytes(n)), 2) {
			for range 2 {
				if err := c.Call(); err != nil {
					t.Errorf("%d bytes: %v", n, err)
				}
			}
		}
	}
	largest := open(t, rpc(bytes(0)), 1)[0].(*caller)
	largest.request.Value = make([]byte, MaxPayload)
	if err := largest.Call(); err != nil {
		t.Errorf("the largest payload: %v", err)
	}
}

func TestWrongAnswerAndFailures(t *testing.T) {
	c := open(t, rpc(bytes(10)), 1)[0].(*caller)
	c.request.Value = make([]byte, maxMessage)
	err := c.Call()
	if code := status.Code(err); code != codes.ResourceExhausted {
		t.Errorf("a message over the limit: %v", err)
	}
	c.request.Value = nil
	c.conn.Close()
	if err := c.Call(); status.Code(err) != codes.Canceled {
		t.Errorf("after closing: %v", err)
	}
}

func TestKinds(t *testing.T) {
	for code := codes.OK; code <= codes.Unauthenticated; code++ {
		if !protocol.ValidKind(kind(code)) {
			t.Errorf("%v gives %q", code, kind(code))
		}
	}
	for code, want := range map[codes.Code]string{
		codes.DeadlineExceeded: "deadline", codes.Unavailable: "connection", codes.ResourceExhausted: "resource_exhausted",
	} {
		if got := kind(code); got != want {
			t.Errorf("%v gives %q, want %q", code, got, want)
		}
	}
}

// The hand-written service is that of echo.proto.
func TestServiceName(t *testing.T) {
	if got := "/" + echo.ServiceName + "/" + echo.Methods[0].MethodName; got != method {
		t.Errorf("%q is served, %q is called", got, method)
	}
	var _ ggrpc.ServiceDesc = echo
}

func BenchmarkCall(b *testing.B) {
	c := open(b, rpc(bytes(512)), 1)[0]
	b.ReportAllocs()
	for b.Loop() {
		if err := c.Call(); err != nil {
			b.Fatal(err)
		}
	}
}
