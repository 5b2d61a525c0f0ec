package http

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	nethttp "net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/valyala/fasthttp"

	"versus/drivers/goproc"
	"versus/drivers/worker"
)

// caller is a worker.Caller that can also say what it really speaks.
type caller interface {
	worker.Caller
	protocol() string // of the last answer
	close()
}

// connect opens n callers. Each makes one call, so that its connection is
// open and proven before the client is ready.
func connect(_ context.Context, s worker.Setup, n int) ([]worker.Caller, worker.Ready, func() error, error) {
	address := s.Peers["server"]["address"]
	if address == "" {
		return nil, worker.Ready{}, nil, errors.New("the server gave no address")
	}
	o := read(s.Workload)
	payload := s.Workload.Payload.Content()
	connections := n
	effective := goproc.Effective()
	var open func() caller
	if o.client == "fasthttp" {
		effective = goproc.Effective(fasthttpModule)
		open = func() caller { return newFastCaller(address, payload) }
	} else if o.version == "2" {
		connections = 1
		shared := newTransport(o.version)
		open = func() caller { return newNetCaller(shared, address, payload) }
	} else {
		// A transport each: callers share no pool, and so no lock.
		open = func() caller { return newNetCaller(newTransport(o.version), address, payload) }
	}

	var callers []caller
	shut := func() error {
		for _, c := range callers {
			c.close()
		}
		return nil
	}
	calls := make([]worker.Caller, n)
	for i := range n {
		c := open()
		callers = append(callers, c)
		calls[i] = c
		if err := c.Call(); err != nil {
			return nil, worker.Ready{}, nil, errors.Join(fmt.Errorf("the first call to the HTTP server failed: %w", err), shut())
		}
		effective["protocol"] = c.protocol()
	}
	maps.Copy(effective, map[string]string{"client": o.client, "connections": strconv.Itoa(connections)})
	return calls, worker.Ready{Effective: effective}, shut, nil
}

func newTransport(version string) *nethttp.Transport {
	return &nethttp.Transport{Protocols: protocols(version), DisableCompression: true, MaxIdleConnsPerHost: 1}
}

// netCaller calls through net/http. It goes to the transport directly:
// redirects and cookies are no part of a call here. The request and all
// buffers are its own and used again for each call.
type netCaller struct {
	transport *nethttp.Transport
	request   *nethttp.Request
	payload   []byte
	body      *body
	answer    []byte // one byte longer than the payload, to see an answer that is too long
	proto     string
}

// body is a request body that can be sent again.
type body struct{ bytes.Reader }

func (*body) Close() error { return nil }

func newNetCaller(t *nethttp.Transport, address string, payload []byte) *netCaller {
	c := &netCaller{transport: t, payload: payload, answer: make([]byte, len(payload)+1)}
	c.renew(address)
	return c
}

// renew makes a new request. After an error the transport may still hold the
// old one for a while.
func (c *netCaller) renew(address string) {
	c.body = new(body)
	c.request = &nethttp.Request{
		Method:        nethttp.MethodPost,
		URL:           &url.URL{Scheme: "http", Host: address, Path: "/"},
		Host:          address,
		Header:        nethttp.Header{"Content-Type": octets},
		Body:          c.body,
		ContentLength: int64(len(c.payload)),
	}
	if len(c.payload) == 0 {
		c.request.Body = nethttp.NoBody // any other body would make the length unknown
	}
}

// Call posts the payload. There is no GetBody, so the transport never sends
// a request a second time unseen.
func (c *netCaller) Call() error {
	c.body.Reset(c.payload)
	response, err := c.transport.RoundTrip(c.request)
	if err != nil {
		c.renew(c.request.Host)
		return err
	}
	n, err := 0, error(nil)
	for n < len(c.answer) && err == nil {
		var m int
		m, err = response.Body.Read(c.answer[n:])
		n += m
	}
	response.Body.Close()
	switch {
	case response.StatusCode != nethttp.StatusOK:
		err = errStatus(response.StatusCode)
	case n == len(c.payload) && err == io.EOF: // io.ErrUnexpectedEOF is an answer cut off
		c.proto = response.Proto
		return nil
	case err == nil || err == io.EOF:
		err = errLength
	}
	c.renew(c.request.Host)
	return err
}

func (c *netCaller) protocol() string { return c.proto }
func (c *netCaller) close()           { c.transport.CloseIdleConnections() }

// fastCaller calls through fasthttp, on a connection of its own.
type fastCaller struct {
	host     *fasthttp.HostClient
	request  fasthttp.Request
	response fasthttp.Response
	size     int
}

func newFastCaller(address string, payload []byte) *fastCaller {
	c := &fastCaller{
		host: &fasthttp.HostClient{
			Addr:                      address,
			MaxConns:                  1,
			MaxIdleConnDuration:       24 * time.Hour, // a slow open loop keeps its connection too
			MaxIdemponentCallAttempts: 1,              // no call is made twice unseen
			MaxResponseBodySize:       len(payload) + 1,
			// Work on names and paths that are as they should be: a few percent of a call.
			DisableHeaderNamesNormalizing: true,
			DisablePathNormalizing:        true,
		},
		size: len(payload),
	}
	c.request.SetRequestURI("http://" + address + "/")
	c.request.Header.SetMethod(fasthttp.MethodPost)
	c.request.Header.SetContentType(octets[0])
	c.request.SetBodyRaw(payload)
	return c
}

func (c *fastCaller) Call() error {
	if err := c.host.Do(&c.request, &c.response); err != nil {
		return err
	}
	if s := c.response.StatusCode(); s != fasthttp.StatusOK {
		return errStatus(s)
	}
	if len(c.response.Body()) != c.size {
		return errLength
	}
	return nil
}

func (c *fastCaller) protocol() string { return string(c.response.Header.Protocol()) }
func (c *fastCaller) close()           { c.host.CloseIdleConnections() }
