package corba

import (
	"fmt"
	"io/fs"
	"os"
	"testing"
	"testing/fstest"

	"versus/drivers"
	"versus/drivers/workertest"
)

// pair is a server and a client on omniORB as one writes them by hand.
func pair(b *testing.B) string {
	b.Helper()
	text, err := os.ReadFile("testdata/pair.cpp")
	if err != nil {
		b.Fatal(err)
	}
	idl, err := fs.ReadFile(OmniORB.Files, "Bench.idl")
	if err != nil {
		b.Fatal(err)
	}
	w := OmniORB
	w.Name, w.Files = "test-corba-pair", fstest.MapFS{"pair.cpp": {Data: text}, "Bench.idl": {Data: idl}}
	return workertest.Built(b, w)
}

// BenchmarkTwoway compares the driver on omniORB with the pair, in turns.
//
//	go test -run '^$' -bench . ./drivers/ice ./drivers/corba
func BenchmarkTwoway(b *testing.B) {
	prepared(b, "omniorb")
	program := pair(b)
	for _, threads := range []int{0, 4} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			args := []string{"server", "-ORBendPoint", "giop:tcp:127.0.0.1:"}
			if threads > 0 {
				args = append(args, "-ORBthreadPerConnectionPolicy", "0", "-ORBmaxServerThreadPoolSize", fmt.Sprint(threads))
			}
			peer := workertest.StartPeer(b, program, args...)
			workertest.Compare(b, func() float64 {
				w := rpc("omniorb")
				w.Options["thread_pool"], w.Measure = float64(threads), drivers.Extent{Seconds: workertest.Round}
				r := prepare(b, w).Measure(b)["client"]
				return float64(r.Received) / r.Elapsed
			}, func() float64 {
				return workertest.Rate(b, program, "client", peer, fmt.Sprint(workertest.Round))
			})
		})
	}
}
