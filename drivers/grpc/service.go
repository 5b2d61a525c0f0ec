package grpc

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"runtime"
	"strings"

	ggrpc "google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip" // a server that knows it answers as it was asked
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"versus/drivers/goproc"
	"versus/drivers/worker"
)

const method = "/versus.Echo/Call"

// echo is the service of echo.proto.
var echo = ggrpc.ServiceDesc{
	ServiceName: "versus.Echo",
	HandlerType: (*any)(nil),
	Metadata:    "echo.proto",
	Methods: []ggrpc.MethodDesc{{
		MethodName: "Call",
		Handler: func(_ any, _ context.Context, decode func(any) error, _ ggrpc.UnaryServerInterceptor) (any, error) {
			message := new(wrapperspb.BytesValue)
			if err := decode(message); err != nil {
				return nil, err
			}
			return message, nil
		},
	}},
}

// serve starts the server on a free port.
func serve(_ context.Context, s worker.Setup) (worker.Ready, func() error, error) {
	listener, err := net.Listen("tcp", s.Endpoint())
	if err != nil {
		return worker.Ready{}, nil, fmt.Errorf("the gRPC server can't listen: %w", err)
	}
	// Goroutines that stay for the next call have grown their stacks already:
	// about a tenth more calls.
	streamWorkers := uint32(2 * runtime.GOMAXPROCS(0))
	server := newServer(ggrpc.NumStreamWorkers(streamWorkers))
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	shut := func() error {
		server.Stop()
		return <-ended
	}
	ready := worker.Ready{
		Addresses: map[string]string{"address": listener.Addr().String()},
		Effective: effective(map[string]string{"stream_workers": fmt.Sprint(streamWorkers)}),
	}
	return ready, shut, nil
}

func newServer(more ...ggrpc.ServerOption) *ggrpc.Server {
	server := ggrpc.NewServer(append(more, ggrpc.MaxRecvMsgSize(maxMessage), ggrpc.MaxSendMsgSize(maxMessage))...)
	server.RegisterService(&echo, nil)
	return server
}

func effective(more map[string]string) map[string]string {
	m := goproc.Effective(grpcModule, protobufModule)
	m["transport"] = "HTTP/2 over TCP, no TLS"
	maps.Copy(m, more)
	return m
}

// connect opens n callers on one connection.
func connect(ctx context.Context, s worker.Setup, n int) ([]worker.Caller, worker.Ready, func() error, error) {
	fail := func(err error) ([]worker.Caller, worker.Ready, func() error, error) {
		return nil, worker.Ready{}, nil, err
	}
	address := s.Peers["server"]["address"]
	if address == "" {
		return fail(errors.New("the server gave no address"))
	}
	call := []ggrpc.CallOption{ggrpc.MaxCallRecvMsgSize(maxMessage), ggrpc.MaxCallSendMsgSize(maxMessage)}
	compression := "none"
	if s.Workload.Options["compression"] == gzip.Name {
		compression = gzip.Name
		call = append(call, ggrpc.UseCompressor(gzip.Name))
	}
	conn, err := ggrpc.NewClient("passthrough:///"+address,
		ggrpc.WithTransportCredentials(insecure.NewCredentials()), ggrpc.WithNoProxy(), ggrpc.WithDefaultCallOptions(call...),
	)
	if err != nil {
		return fail(fmt.Errorf("gRPC client: %w", err))
	}
	if err := waitReady(ctx, conn); err != nil {
		conn.Close()
		return fail(fmt.Errorf("the gRPC server at %s can't be reached: %w", address, err))
	}
	payload := s.Workload.Payload.Content()
	callers := make([]worker.Caller, n)
	for i := range callers {
		callers[i] = &caller{conn: conn, request: &wrapperspb.BytesValue{Value: payload}, reply: new(wrapperspb.BytesValue)}
	}
	return callers, worker.Ready{Effective: effective(map[string]string{"connections": "1", "compression": compression})}, conn.Close, nil
}

// waitReady connects. It does not try again when that fails: the server is
// ready before a client is started.
func waitReady(ctx context.Context, conn *ggrpc.ClientConn) error {
	for {
		switch now := conn.GetState(); now {
		case connectivity.Ready:
			return nil
		case connectivity.TransientFailure, connectivity.Shutdown:
			return fmt.Errorf("connection state %s", strings.ToLower(now.String()))
		default:
			conn.Connect()
			if !conn.WaitForStateChange(ctx, now) {
				return ctx.Err()
			}
		}
	}
}

// caller makes unary calls. Request and reply are its own and used again for
// each call.
type caller struct {
	conn           *ggrpc.ClientConn
	request, reply *wrapperspb.BytesValue
}

// Call implements worker.Caller. It runs without a deadline: closing the
// connection ends it.
func (c *caller) Call() error {
	if err := c.conn.Invoke(context.Background(), method, c.request, c.reply); err != nil {
		return worker.Kind(kind(status.Code(err)), err)
	}
	if len(c.reply.Value) != len(c.request.Value) {
		return worker.Kind(worker.KindAnswer, fmt.Errorf("sent %d bytes and got %d back", len(c.request.Value), len(c.reply.Value)))
	}
	return nil
}

// kind names the failure of a call: the status as other drivers know it too,
// or else by its name in gRPC, as not_found.
func kind(code codes.Code) string {
	switch code {
	case codes.DeadlineExceeded:
		return worker.KindDeadline
	case codes.Unavailable, codes.Canceled:
		return worker.KindConnection
	}
	var b strings.Builder
	for i, r := range code.String() {
		if r >= 'A' && r <= 'Z' && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	return strings.ToLower(b.String())
}
