package ice

import (
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"testing"
	"testing/fstest"

	"versus/drivers"
	"versus/drivers/workertest"
)

// pair is a server and a client of Ice as one writes them by hand.
func pair(b *testing.B) string {
	b.Helper()
	text, err := os.ReadFile("testdata/pair.cpp")
	if err != nil {
		b.Fatal(err)
	}
	slice, err := fs.ReadFile(Worker.Files, "Bench.ice")
	if err != nil {
		b.Fatal(err)
	}
	w := Worker
	w.Name, w.Files, w.Libraries = "test-ice-pair", fstest.MapFS{"pair.cpp": {Data: text}, "Bench.ice": {Data: slice}}, []string{"-lIce++11"}
	return workertest.Built(b, w)
}

// BenchmarkTwoway compares the driver with the pair, in turns.
//
//	go test -run '^$' -bench . ./drivers/ice ./drivers/corba
func BenchmarkTwoway(b *testing.B) {
	prepared(b)
	program := pair(b)
	for _, threads := range []int{1, 4} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			size := strconv.Itoa(threads)
			peer := workertest.StartPeer(b, program, "server", "--Ice.ThreadPool.Server.Size="+size, "--Ice.ThreadPool.Server.SizeMax="+size)
			workertest.Compare(b, func() float64 {
				w := rpc()
				w.Options["thread_pool"], w.Measure = float64(threads), drivers.Extent{Seconds: workertest.Round}
				r := prepare(b, w).Measure(b)["client"]
				return float64(r.Received) / r.Elapsed
			}, func() float64 {
				return workertest.Rate(b, program, "client", peer, fmt.Sprint(workertest.Round))
			})
		})
	}
}
