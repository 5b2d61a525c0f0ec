// Package grpc is the driver for gRPC as google.golang.org/grpc implements it:
// unary calls that the server echoes, over HTTP/2 without TLS. All callers of
// a client share one connection, as gRPC means it to be used.
package grpc

import (
	"context"
	"fmt"

	"versus/drivers"
	"versus/drivers/goproc"
	"versus/drivers/worker"
	"versus/dsl/schema"
)

const (
	grpcModule     = "google.golang.org/grpc"
	protobufModule = "google.golang.org/protobuf"
)

// MaxPayload is the largest payload of a call, in bytes. The limit for
// messages is set a little above it on both sides; gRPC's own default, 4 MiB
// and only for what is received, would be met in the middle of a run.
const (
	MaxPayload = 64 << 20
	maxMessage = MaxPayload + 64
)

// Driver describes gRPC to the interpreter.
var Driver = drivers.Driver{
	Name: "grpc",
	Doc:  "gRPC without TLS, google.golang.org/grpc: unary calls.",
	Attrs: []schema.Attr{
		{
			Name: "compression", Type: schema.String, Default: `"none"`, OneOf: []string{"none", "gzip"},
			Doc:     "Compression of messages, both ways. It shrinks nothing in the payload `bytes(SIZE)`, which is random.",
			Example: `"gzip"`,
		},
		goproc.Attr,
	},
	Patterns:    []drivers.Pattern{drivers.RPC},
	AcrossHosts: drivers.OverNetworks,
	Probe: func(context.Context) drivers.Availability {
		return drivers.Availability{OK: true, Versions: goproc.Versions(grpcModule, protobufModule)}
	},
	Check: check,
	Roles: func(w drivers.Workload) ([]drivers.Role, error) {
		env := goproc.Env(w.Options)
		return []drivers.Role{
			{Name: "server", Env: env},
			{Name: "client", Active: true, Env: env},
		}, nil
	},
}

// Roles are the workers of the driver.
var Roles = worker.Roles{
	"server": worker.ServerFunc(serve),
	"client": worker.ClientFunc(connect),
}

func check(w drivers.Workload) error {
	if w.Call != "" && w.Call != "twoway" {
		return fmt.Errorf("this driver makes unary calls, which wait for their answer: it has no %q call, only twoway", w.Call)
	}
	size := w.Payload.Bytes
	switch w.Payload.Kind {
	case "bytes":
	case "lines":
		size = len(w.Payload.Text)
	default:
		return fmt.Errorf("this driver carries bytes and lines, and has no encoding for a payload of kind %q", w.Payload.Kind)
	}
	if size > MaxPayload {
		return fmt.Errorf("a payload of %d bytes is over this driver's limit of %d (64 MiB)", size, MaxPayload)
	}
	return nil
}
