package all_test

import (
	"bufio"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// How to get each peer.
const (
	getGhz    = "go install github.com/bojand/ghz/cmd/ghz@latest"
	getVegeta = "go install github.com/tsenart/vegeta/v12@latest"
	getFortio = "go install fortio.org/fortio@v1.66.0"
	getWrk    = "apt-get install wrk"
	getPahoC  = "apt-get install libpaho-mqtt-dev gcc"
)

func BenchmarkGRPC(b *testing.B) {
	for _, callers := range []int{1, 4} {
		b.Run(fmt.Sprintf("callers=%d/ghz", callers), func(b *testing.B) {
			ghz := need(b, "ghz", getGhz)
			s := serve(b, "grpc", nil, callers)
			data := strconv.Quote(base64.StdEncoding.EncodeToString(make([]byte, size)))
			s.compare(b, "ghz", func() (float64, error) {
				var report struct {
					Rps         float64          `json:"rps"`
					StatusCodes map[string]int64 `json:"statusCodeDistribution"`
				}
				err := decode(&report, ghz, "--insecure", "--proto", "../grpc/echo.proto", "--call", "versus.Echo/Call",
					"-d", data, "-c", strconv.Itoa(callers), "-z", "500ms", "--duration-stop", "wait", "-O", "json", s.peers["server"]["address"])
				if err == nil && (len(report.StatusCodes) != 1 || report.StatusCodes["OK"] == 0) {
					err = fmt.Errorf("answers %v", report.StatusCodes)
				}
				return report.Rps, err
			})
		})
	}
}

// BenchmarkHTTP compares the fasthttp client with other programs on both
// servers: fasthttp shows the client, net/http is what is found outside.
func BenchmarkHTTP(b *testing.B) {
	for _, server := range []string{"fasthttp", "nethttp"} {
		for _, callers := range []int{1, 4} {
			for _, p := range httpPeers {
				b.Run(fmt.Sprintf("server=%s/callers=%d/%s", server, callers, p.name), func(b *testing.B) {
					program := need(b, p.name, p.get)
					s := serve(b, "http", map[string]any{"client": "fasthttp", "server": server}, callers)
					s.workload.Measure.Seconds = p.seconds
					body := filepath.Join(b.TempDir(), "body")
					if err := os.WriteFile(body, []byte(strings.Repeat("x", size)), 0o600); err != nil {
						b.Fatal(err)
					}
					s.compare(b, p.name, func() (float64, error) {
						return p.rate(program, "http://"+s.peers["server"]["address"]+"/", body, callers)
					})
				})
			}
		}
	}
}

// BenchmarkHTTPClients has our own clients without a peer.
func BenchmarkHTTPClients(b *testing.B) {
	for _, o := range []map[string]any{
		{"version": "1.1", "client": "nethttp"},
		{"version": "1.1", "client": "fasthttp"},
		{"version": "2", "client": "nethttp"},
	} {
		for _, callers := range []int{1, 4} {
			b.Run(fmt.Sprintf("version=%s/client=%s/callers=%d", o["version"], o["client"], callers), func(b *testing.B) {
				serve(b, "http", o, callers).compare(b, "", nil)
			})
		}
	}
}

var httpPeers = []struct {
	name, get string
	seconds   float64 // of a round, ours too; wrk knows only whole ones
	rate      func(program, url, body string, callers int) (float64, error)
}{
	{"wrk", getWrk, 1, wrkRate},
	{"fortio", getFortio, 0.5, fortioRate},
	{"vegeta", getVegeta, 0.5, vegetaRate},
}

var wrkRequests = regexp.MustCompile(`Requests/sec:\s+([0-9.]+)`)

func wrkRate(program, url, body string, callers int) (float64, error) {
	script := body + ".lua"
	text := fmt.Sprintf("wrk.method = 'POST'\nwrk.body = string.rep('x', %d)\n", size)
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		return 0, err
	}
	out, err := output(program, "-t1", "-c"+strconv.Itoa(callers), "-d1s", "-s", script, url)
	if err != nil {
		return 0, err
	}
	found := wrkRequests.FindStringSubmatch(out)
	if found == nil || strings.Contains(out, "Non-2xx") || strings.Contains(out, "Socket errors") {
		return 0, errors.New(out)
	}
	return strconv.ParseFloat(found[1], 64)
}

func fortioRate(program, url, body string, callers int) (float64, error) {
	var report struct {
		ActualQPS float64
		RetCodes  map[string]int64
	}
	err := decode(&report, program, "load", "-loglevel", "Error", "-c", strconv.Itoa(callers), "-qps", "0", "-t", "500ms",
		"-payload-file", body, "-json", "-", url)
	if err == nil && (len(report.RetCodes) != 1 || report.RetCodes["200"] == 0) {
		err = fmt.Errorf("answers %v", report.RetCodes)
	}
	return report.ActualQPS, err
}

func vegetaRate(program, url, body string, callers int) (float64, error) {
	targets, results := body+".targets", body+".bin"
	if err := os.WriteFile(targets, []byte("POST "+url+"\n@"+body+"\n"), 0o600); err != nil {
		return 0, err
	}
	_, err := output(program, "attack", "-rate", "0", "-max-workers", strconv.Itoa(callers), "-workers", strconv.Itoa(callers),
		"-duration", "500ms", "-targets", targets, "-output", results)
	if err != nil {
		return 0, err
	}
	var report struct {
		Throughput float64 `json:"throughput"`
		Success    float64 `json:"success"`
	}
	if err := decode(&report, program, "report", "-type", "json", results); err != nil {
		return 0, err
	}
	if report.Success != 1 {
		return 0, fmt.Errorf("only %v of the calls succeeded", report.Success)
	}
	return report.Throughput, nil
}

// BenchmarkMQTT compares the driver with a pair of programs written in C with
// the Paho client, through the same mosquitto.
func BenchmarkMQTT(b *testing.B) {
	b.Run("broker=mosquitto/callers=1/paho_c", func(b *testing.B) {
		if _, err := exec.LookPath("mosquitto"); err != nil {
			if _, err := os.Stat("/usr/sbin/mosquitto"); err != nil {
				b.Skip("mosquitto is not installed: apt-get install mosquitto")
			}
		}
		pair := buildPahoPair(b)
		s := serve(b, "mqtt", map[string]any{"qos": 0.0, "broker": map[string]any{"kind": "mosquitto"}}, 1)
		uri := "tcp://" + s.peers["broker"]["address"]
		startPahoServer(b, pair, uri)
		s.compare(b, "paho_c", func() (float64, error) {
			out, err := output(pair, "client", uri, strconv.Itoa(size), "0.5")
			if err != nil {
				return 0, err
			}
			return strconv.ParseFloat(strings.TrimSpace(out), 64)
		})
	})
	for _, broker := range []string{"embedded", "mosquitto"} {
		for _, callers := range []int{1, 4} {
			b.Run(fmt.Sprintf("broker=%s/callers=%d", broker, callers), func(b *testing.B) {
				serve(b, "mqtt", map[string]any{"broker": map[string]any{"kind": broker}}, callers).compare(b, "", nil)
			})
		}
	}
}

func buildPahoPair(b *testing.B) string {
	b.Helper()
	cc := need(b, "cc", getPahoC)
	pair := filepath.Join(b.TempDir(), "paho_pair")
	out, err := exec.Command(cc, "-O2", "-o", pair, "../mqtt/testdata/paho_pair.c", "-lpaho-mqtt3a").CombinedOutput()
	if err != nil {
		b.Skipf("the Paho C pair can't be built: %s\n%s", getPahoC, out)
	}
	return pair
}

func startPahoServer(b *testing.B, pair, uri string) {
	b.Helper()
	c := exec.Command(pair, "server", uri)
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := c.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		in.Close()
		_ = c.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		b.Fatalf("the Paho C server said %q, %v", line, err)
	}
}
