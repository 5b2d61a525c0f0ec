// Package http is the driver for HTTP: each call is a POST whose body the
// server sends back. Client and server are net/http or, for HTTP/1.1,
// fasthttp. There is no TLS; HTTP/2 is spoken in clear text with prior
// knowledge.
package http

import (
	"context"
	"errors"
	"fmt"

	"versus/drivers"
	"versus/drivers/goproc"
	"versus/drivers/worker"
	"versus/dsl/schema"
)

const fasthttpModule = "github.com/valyala/fasthttp"

// maxPayload keeps one message within what a process can hold several times.
const maxPayload = 1 << 30

// Driver describes HTTP to the interpreter.
var Driver = drivers.Driver{
	Name: "http",
	Doc:  "HTTP/1.1 or HTTP/2 without TLS, net/http or fasthttp.",
	Attrs: []schema.Attr{
		{
			Name: "version", Type: schema.String, Default: `"1.1"`, OneOf: []string{"1.1", "2"},
			Doc:     "Version of HTTP. With 1.1 every caller has a connection of its own; with 2 all share one, as HTTP/2 means it.",
			Example: `"2"`,
		},
		{
			Name: "client", Type: schema.String, Default: `"nethttp"`, OneOf: []string{"nethttp", "fasthttp"},
			Doc:     "Library of the client. fasthttp speaks only HTTP/1.1.",
			Example: `"fasthttp"`,
		},
		{
			Name: "server", Type: schema.String, Default: `"nethttp"`, OneOf: []string{"nethttp", "fasthttp"},
			Doc:     "Library of the server. fasthttp speaks only HTTP/1.1.",
			Example: `"fasthttp"`,
		},
		goproc.Attr,
	},
	Patterns:    []drivers.Pattern{drivers.RPC},
	AcrossHosts: drivers.OverNetworks,
	Probe: func(context.Context) drivers.Availability {
		return drivers.Availability{OK: true, Versions: goproc.Versions(fasthttpModule)}
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

// options are the arguments of a `backend "http"` block.
type options struct {
	version, client, server string
}

func read(w drivers.Workload) options {
	text := func(name, otherwise string) string {
		if s, ok := w.Options[name].(string); ok {
			return s
		}
		return otherwise
	}
	return options{
		version: text("version", "1.1"),
		client:  text("client", "nethttp"),
		server:  text("server", "nethttp"),
	}
}

func check(w drivers.Workload) error {
	o := read(w)
	if o.version == "2" {
		for _, role := range []struct{ name, library string }{{"client", o.client}, {"server", o.server}} {
			if role.library == "fasthttp" {
				return fmt.Errorf(`fasthttp speaks only HTTP/1.1: with version = "2", set %s = "nethttp"`, role.name)
			}
		}
	}
	if w.Call != "" && w.Call != "twoway" {
		return fmt.Errorf("HTTP answers every request: it has no %q call, only twoway", w.Call)
	}
	switch w.Payload.Kind {
	case "bytes", "lines":
	default:
		return fmt.Errorf("HTTP carries bytes and lines, and has no encoding for a payload of kind %q", w.Payload.Kind)
	}
	if n := len(w.Payload.Text); w.Payload.Bytes > maxPayload || n > maxPayload {
		return fmt.Errorf("a payload of %d bytes is over this driver's limit of %d (1 GiB)", max(w.Payload.Bytes, n), maxPayload)
	}
	return nil
}

// errLength is what a caller returns for an answer of another length than the request.
var errLength = worker.Kind(worker.KindAnswer, errors.New("the answer has another length than the request"))

// errStatus is what a caller returns for an answer that is not 200 OK. It
// counts as errors.status_503, for example.
func errStatus(status int) error {
	return worker.Kind(fmt.Sprintf("status_%d", status), fmt.Errorf("status %d instead of 200", status))
}
