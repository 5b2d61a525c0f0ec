package grpc

import (
	"context"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"versus/drivers"
	"versus/drivers/worker"
)

// countingListener counts what the server reads and writes.
type countingListener struct {
	net.Listener
	bytes *atomic.Int64
}

type countingConn struct {
	net.Conn
	bytes *atomic.Int64
}

func (l countingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return countingConn{c, l.bytes}, err
}

func (c countingConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.bytes.Add(int64(n))
	return n, err
}

// Write counts first: the client may have all before the call that wrote it returns.
func (c countingConn) Write(b []byte) (int, error) {
	c.bytes.Add(int64(len(b)))
	return c.Conn.Write(b)
}

// With gzip a text of one letter passes in a fraction of its size, both ways.
func TestCompression(t *testing.T) {
	const size = 1 << 20
	for compression, most := range map[string]int64{"none": 4 * size, "gzip": size / 4} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		var passed atomic.Int64
		server := newServer()
		go server.Serve(countingListener{listener, &passed})
		t.Cleanup(server.Stop)

		w := rpc(drivers.Payload{Kind: "lines", Text: strings.Repeat("x", size)})
		w.Options = map[string]any{"compression": compression}
		peers := map[string]map[string]string{"server": {"address": listener.Addr().String()}}
		callers, ready, shut, err := connect(context.Background(), worker.Setup{Workload: w, Peers: peers}, 1)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { shut() })
		if err := callers[0].Call(); err != nil {
			t.Fatal(err)
		}
		if ready.Effective["compression"] != compression {
			t.Errorf("%s: effective %v", compression, ready.Effective)
		}
		if n := passed.Load(); n > most || compression == "none" && n < 2*size {
			t.Errorf("%s: %d bytes passed for a call of %d and its answer", compression, n, size)
		}
	}
}
