package http

import (
	"context"
	"testing"

	"versus/drivers/worker"
)

// BenchmarkCall has client and server in one process, to see what each
// client costs and allocates; speed between processes is measured in drivers/all.
func BenchmarkCall(b *testing.B) {
	for _, client := range []string{"nethttp", "fasthttp"} {
		b.Run(client, func(b *testing.B) {
			w := workload(512, map[string]any{"client": client, "server": "fasthttp"})
			ready, stop, err := serve(context.Background(), worker.Setup{Workload: w})
			if err != nil {
				b.Fatal(err)
			}
			defer stop()
			callers, _, hangUp, err := connect(context.Background(), setup(w, ready.Addresses["address"]), 1)
			if err != nil {
				b.Fatal(err)
			}
			defer hangUp()
			b.ReportAllocs()
			for b.Loop() {
				if err := callers[0].Call(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
