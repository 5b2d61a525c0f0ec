package run

import (
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"testing"
	"time"

	"versus/drivers/all"
	"versus/dsl"
	"versus/interp/journal"
	"versus/interp/plan"
)

// delayed copies between its standard streams and an address, each way later by a
// delay: the ProxyCommand of a connection that is as slow as one to a far host.
func delayed(delay, address string) int {
	wait, err := time.ParseDuration(delay)
	if err != nil {
		return 1
	}
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return 1
	}
	back := make(chan struct{})
	go func() {
		defer close(back)
		copyLater(os.Stdout, conn, wait)
	}()
	copyLater(conn, os.Stdin, wait)
	conn.(*net.TCPConn).CloseWrite()
	<-back
	return 0
}

// copyLater copies, each piece as long after it came as the delay.
func copyLater(to io.Writer, from io.Reader, delay time.Duration) {
	type piece struct {
		text []byte
		due  time.Time
	}
	pieces := make(chan piece, 1000)
	go func() {
		defer close(pieces)
		for {
			text := make([]byte, 64<<10)
			n, err := from.Read(text)
			if n > 0 {
				pieces <- piece{text[:n], time.Now().Add(delay)}
			}
			if err != nil {
				return
			}
		}
	}()
	for p := range pieces {
		time.Sleep(time.Until(p.due))
		if _, err := to.Write(p.text); err != nil {
			return
		}
	}
}

// BenchmarkRunOverSSH does a run here, over ssh, and over an ssh with a round trip of
// 40 ms, in turns and each over one shared connection. It shows by how much the second
// is longer than the first, and of how many round trips the third is longer than the
// second.
func BenchmarkRunOverSSH(b *testing.B) {
	s := startServer(b)
	p := realPlan(b, dsl.Setting{Name: "calls", Value: "1"})
	c, err := p.Cell(0)
	if err != nil {
		b.Fatal(err)
	}
	const roundTrip = 40 * time.Millisecond
	near, far := s.host("lab"), s.host("lab")
	far.Name = "far"
	far.Options = append([]string{"-o", fmt.Sprintf("ProxyCommand=%s delayed %v 127.0.0.1:%%p", os.Args[0], roundTrip/2)}, far.Options...)
	for _, role := range []string{"server", "client", ""} {
		b.Run("remote="+map[string]string{"server": "server", "client": "client", "": "both"}[role], func(b *testing.B) {
			e := newExecutor(1, Options{Drivers: all.Registry()})
			defer e.hosts.Close()
			defer e.guard.close()
			total := make([][]float64, 3)
			for range b.N + 1 {
				for i, h := range []*dsl.Host{nil, near, far} {
					cell := *c
					if h != nil {
						cell.Place = map[string]*dsl.Host{"": {Kind: "local", Name: "here", Listen: "127.0.0.1"}}
						cell.Place[role] = h
					}
					total[i] = append(total[i], runOnce(b, e, &cell))
				}
			}
			for i := range total {
				total[i] = total[i][1:] // the first has connected
				slices.Sort(total[i])
			}
			// A tenth of the runs is quicker: where others use the machine, this is nearer to what it takes.
			for name, share := range map[string]int{"median": 2, "tenth": 10} {
				at := len(total[0]) / share
				b.ReportMetric(total[0][at]*1e3, name+"-local-ms")
				b.ReportMetric((total[1][at]-total[0][at])*1e3, name+"-ssh-adds-ms")
				b.ReportMetric((total[2][at]-total[1][at])/roundTrip.Seconds(), name+"-round-trips")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// runOnce does one run and returns how long it took, in seconds.
func runOnce(b *testing.B, e *executor, c *plan.Cell) float64 {
	b.Helper()
	began := time.Now()
	r := journal.Run{Cell: c.Key}
	if err := e.do(b.Context(), c, &r); err != nil || r.Status != journal.OK {
		b.Fatal(err, r.Error)
	}
	return time.Since(began).Seconds()
}
