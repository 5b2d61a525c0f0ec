package http

import (
	"bufio"
	"context"
	"fmt"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"versus/drivers"
	"versus/drivers/worker"
)

func workload(size int, options map[string]any) drivers.Workload {
	return drivers.Workload{
		Driver: "http", Pattern: drivers.RPC, Call: "twoway", Concurrency: 1, Options: options,
		Payload: drivers.Payload{Kind: "bytes", Bytes: size},
	}
}

func setup(w drivers.Workload, server string) worker.Setup {
	return worker.Setup{Workload: w, Peers: map[string]map[string]string{"server": {"address": server}}}
}

func TestEcho(t *testing.T) {
	for _, c := range []struct {
		version, client, server string
		protocol, connections   string
	}{
		{"1.1", "nethttp", "nethttp", "HTTP/1.1", "3"},
		{"1.1", "nethttp", "fasthttp", "HTTP/1.1", "3"},
		{"1.1", "fasthttp", "nethttp", "HTTP/1.1", "3"},
		{"1.1", "fasthttp", "fasthttp", "HTTP/1.1", "3"},
		{"2", "nethttp", "nethttp", "HTTP/2.0", "1"},
	} {
		for _, size := range []int{0, 1, 512, 100_000, 1_000_000} {
			t.Run(fmt.Sprintf("%s/%s/%s/%d", c.version, c.client, c.server, size), func(t *testing.T) {
				w := workload(size, map[string]any{"version": c.version, "client": c.client, "server": c.server})
				if err := Driver.Verify(w); err != nil {
					t.Fatal(err)
				}
				ready, stop, err := serve(context.Background(), worker.Setup{Workload: w})
				if err != nil {
					t.Fatal(err)
				}
				callers, client, hangUp, err := connect(context.Background(), setup(w, ready.Addresses["address"]), 3)
				if err != nil {
					t.Fatal(err)
				}
				for range 3 {
					for i, caller := range callers {
						if err := caller.Call(); err != nil {
							t.Errorf("caller %d: %v", i, err)
						}
					}
				}
				if got := client.Effective["protocol"]; got != c.protocol {
					t.Errorf("protocol %q, want %q", got, c.protocol)
				}
				if got := client.Effective["connections"]; got != c.connections {
					t.Errorf("%s connections reported, want %s", got, c.connections)
				}
				if err := hangUp(); err != nil {
					t.Error(err)
				}
				if err := stop(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestConnections counts what the server sees: the callers' connections are
// all open when the client is ready, and no call opens another.
func TestConnections(t *testing.T) {
	for _, c := range []struct {
		version, client string
		want            int64
	}{{"1.1", "nethttp", 4}, {"1.1", "fasthttp", 4}, {"2", "nethttp", 1}} {
		t.Run(c.version+" "+c.client, func(t *testing.T) {
			var opened atomic.Int64
			s := httptest.NewUnstartedServer(newEcho(512))
			s.Config.Protocols = protocols(c.version)
			s.Config.ConnState = func(_ net.Conn, state nethttp.ConnState) {
				if state == nethttp.StateNew {
					opened.Add(1)
				}
			}
			s.Start()
			defer s.Close()
			w := workload(512, map[string]any{"version": c.version, "client": c.client})
			callers, _, hangUp, err := connect(context.Background(), setup(w, s.Listener.Addr().String()), 4)
			if err != nil {
				t.Fatal(err)
			}
			defer hangUp()
			for range 10 {
				for _, caller := range callers {
					if err := caller.Call(); err != nil {
						t.Fatal(err)
					}
				}
			}
			if n := opened.Load(); n != c.want {
				t.Errorf("%d connections, want %d", n, c.want)
			}
		})
	}
}

// TestBadAnswers has a server that echoes the first call, which opens the
// connection, and then misbehaves.
func TestBadAnswers(t *testing.T) {
	raw := func(answer string) nethttp.HandlerFunc {
		return func(w nethttp.ResponseWriter, _ *nethttp.Request) {
			conn, _, err := nethttp.NewResponseController(w).Hijack()
			if err == nil {
				fmt.Fprint(conn, answer)
				conn.Close()
			}
		}
	}
	body := strings.Repeat("x", 64)
	for _, c := range []struct {
		name string
		bad  nethttp.HandlerFunc
		want string // in the error
	}{
		{"status", func(w nethttp.ResponseWriter, _ *nethttp.Request) { nethttp.Error(w, "no", 503) }, "status 503 instead of 200"},
		{"short", func(w nethttp.ResponseWriter, _ *nethttp.Request) { fmt.Fprint(w, body[1:]) }, errLength.Error()},
		{"empty", func(nethttp.ResponseWriter, *nethttp.Request) {}, errLength.Error()},
		{"long", func(w nethttp.ResponseWriter, _ *nethttp.Request) { fmt.Fprint(w, body+"x") }, errLength.Error()},
		{"cut off", raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + body), ""},
		{"chunks cut off", raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n40\r\n" + body + "\r\n"), ""},
		{"garbage", raw("\x00\xff\x00 not HTTP\r\n\r\n"), ""},
		{"hung up", raw(""), ""},
	} {
		for _, client := range []string{"nethttp", "fasthttp"} {
			t.Run(c.name+" "+client, func(t *testing.T) {
				good, calls := newEcho(64), atomic.Int64{}
				s := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
					if calls.Add(1) == 2 {
						c.bad(w, r)
						return
					}
					good.ServeHTTP(w, r)
				}))
				defer s.Close()
				w := workload(64, map[string]any{"client": client})
				callers, _, hangUp, err := connect(context.Background(), setup(w, s.Listener.Addr().String()), 1)
				if err != nil {
					t.Fatal(err)
				}
				defer hangUp()
				if err := callers[0].Call(); err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("error %v, want %q", err, c.want)
				}
				if calls.Load() != 2 {
					t.Errorf("%d requests reached the server, want 2: a call was made twice", calls.Load())
				}
				if err := callers[0].Call(); err != nil {
					t.Errorf("the call after the bad one: %v", err)
				}
			})
		}
	}
}

// TestOnlyItsVersion: a client of one version gets no answer from a server of
// the other, so that what is reported as HTTP/2 was HTTP/2.
func TestOnlyItsVersion(t *testing.T) {
	for _, v := range [][2]string{{"1.1", "2"}, {"2", "1.1"}} {
		ready, stop, err := serve(context.Background(), worker.Setup{Workload: workload(8, map[string]any{"version": v[0]})})
		if err != nil {
			t.Fatal(err)
		}
		w := workload(8, map[string]any{"version": v[1]})
		if _, _, _, err := connect(context.Background(), setup(w, ready.Addresses["address"]), 1); err == nil {
			t.Errorf("client of HTTP/%s and server of HTTP/%s: no error", v[1], v[0])
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	}
}

func TestServerRefusesWrongLength(t *testing.T) {
	for _, server := range []string{"nethttp", "fasthttp"} {
		ready, stop, err := serve(context.Background(), worker.Setup{Workload: workload(8, map[string]any{"server": server})})
		if err != nil {
			t.Fatal(err)
		}
		conn, err := net.Dial("tcp", ready.Addresses["address"])
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc")
		line, err := bufio.NewReader(conn).ReadString('\n')
		if err != nil || !strings.Contains(line, "400") {
			t.Errorf("%s: answered %q, %v; want status 400", server, line, err)
		}
		conn.Close()
		if err := stop(); err != nil {
			t.Error(err)
		}
	}
}

func TestServerGone(t *testing.T) {
	for _, o := range []map[string]any{{"version": "1.1"}, {"version": "2"}, {"client": "fasthttp"}} {
		w := workload(8, o)
		ready, stop, err := serve(context.Background(), worker.Setup{Workload: w})
		if err != nil {
			t.Fatal(err)
		}
		callers, _, hangUp, err := connect(context.Background(), setup(w, ready.Addresses["address"]), 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
		if err := callers[0].Call(); err == nil {
			t.Errorf("%v: a call without a server succeeded", o)
		}
		hangUp()
		if _, _, _, err := connect(context.Background(), setup(w, ready.Addresses["address"]), 1); err == nil {
			t.Errorf("%v: connected to nothing", o)
		}
	}
}

func TestCheck(t *testing.T) {
	with := func(change func(*drivers.Workload)) drivers.Workload {
		w := workload(512, map[string]any{"version": "1.1"})
		change(&w)
		return w
	}
	for _, c := range []struct {
		name string
		w    drivers.Workload
		want string // "" is accepted
	}{
		{"plain", workload(512, nil), ""},
		{"lines", with(func(w *drivers.Workload) { w.Payload = drivers.Payload{Kind: "lines", Text: "a\n"} }), ""},
		{"fasthttp client of 2", workload(8, map[string]any{"version": "2", "client": "fasthttp"}), `set client = "nethttp"`},
		{"fasthttp server of 2", workload(8, map[string]any{"version": "2", "server": "fasthttp"}), `set server = "nethttp"`},
		{"oneway", with(func(w *drivers.Workload) { w.Call = "oneway" }), `no "oneway" call`},
		{"structs", with(func(w *drivers.Workload) { w.Payload.Kind = "structs" }), `"structs"`},
		{"too large", with(func(w *drivers.Workload) { w.Payload.Bytes = maxPayload + 1 }), "limit"},
		{"pubsub", with(func(w *drivers.Workload) { w.Pattern = drivers.PubSub }), `can't carry a "pubsub" test`},
	} {
		err := Driver.Verify(c.w)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}
