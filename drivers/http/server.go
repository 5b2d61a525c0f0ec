package http

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	nethttp "net/http"
	"strconv"
	"sync"

	"github.com/valyala/fasthttp"

	"versus/drivers/goproc"
	"versus/drivers/worker"
)

// serve starts the echo server on a free port.
func serve(_ context.Context, s worker.Setup) (worker.Ready, func() error, error) {
	o := read(s.Workload)
	size := len(s.Workload.Payload.Content())
	listener, err := net.Listen("tcp", s.Endpoint())
	if err != nil {
		return worker.Ready{}, nil, fmt.Errorf("the HTTP server can't listen: %w", err)
	}
	var run func(net.Listener) error
	var stop func() error
	effective := goproc.Effective()
	if o.server == "fasthttp" {
		effective = goproc.Effective(fasthttpModule)
		run, stop = fastServer(size)
	} else {
		run, stop = netServer(o.version, size)
	}
	maps.Copy(effective, map[string]string{"server": o.server, "accepts": "HTTP/" + o.version})
	ended := make(chan error, 1)
	go func() { ended <- run(listener) }()
	shut := func() error {
		err := stop()
		if e := <-ended; e != nil && !errors.Is(e, nethttp.ErrServerClosed) && !errors.Is(e, net.ErrClosed) {
			return fmt.Errorf("the HTTP server ended: %w", e)
		}
		return err
	}
	ready := worker.Ready{
		Addresses: map[string]string{"address": listener.Addr().String()},
		Effective: effective,
	}
	return ready, shut, nil
}

func netServer(version string, size int) (run func(net.Listener) error, stop func() error) {
	s := &nethttp.Server{Handler: newEcho(size), Protocols: protocols(version)}
	return s.Serve, s.Close
}

// protocols allows one version of HTTP and no other, so that nothing falls
// back unseen.
func protocols(version string) *nethttp.Protocols {
	p := new(nethttp.Protocols)
	p.SetHTTP1(version != "2")
	p.SetUnencryptedHTTP2(version == "2")
	return p
}

// echo answers a request of the expected size with its own body.
type echo struct {
	size    int
	length  []string // value of Content-Length, made once
	buffers sync.Pool
}

var octets = []string{"application/octet-stream"}

func newEcho(size int) *echo {
	return &echo{
		size:    size,
		length:  []string{strconv.Itoa(size)},
		buffers: sync.Pool{New: func() any { b := make([]byte, size); return &b }},
	}
}

func (e *echo) ServeHTTP(w nethttp.ResponseWriter, r *nethttp.Request) {
	if r.ContentLength != int64(e.size) {
		nethttp.Error(w, fmt.Sprintf("a request of %d bytes, not %d", r.ContentLength, e.size), nethttp.StatusBadRequest)
		return
	}
	buf := e.buffers.Get().(*[]byte)
	defer e.buffers.Put(buf)
	if _, err := io.ReadFull(r.Body, *buf); err != nil {
		nethttp.Error(w, err.Error(), nethttp.StatusBadRequest)
		return
	}
	h := w.Header()
	h["Content-Length"] = e.length
	h["Content-Type"] = octets
	_, _ = w.Write(*buf) // a client that is gone counts the error itself
}

func fastServer(size int) (run func(net.Listener) error, stop func() error) {
	s := &fasthttp.Server{
		Handler: func(c *fasthttp.RequestCtx) {
			if body := c.PostBody(); len(body) == size {
				c.Response.SetBodyRaw(body)
			} else {
				c.Error(fmt.Sprintf("a request of %d bytes, not %d", len(body), size), fasthttp.StatusBadRequest)
			}
		},
		MaxRequestBodySize: size + 1, // 0 would mean the default of 4 MiB
		CloseOnShutdown:    true,
	}
	return s.Serve, s.Shutdown
}
