package analyze

import (
	"encoding/json"
	"testing"

	"versus/dsl"
	"versus/interp/journal"
	"versus/stdlib/metric"
)

// Whatever a journal says of a run, analysis ends, and each metric and each
// comparison has a finite number or a reason.
func FuzzRun(f *testing.F) {
	s, p := scenario(f, twoBackends)
	good, err := json.Marshal(constantRun(f, cellAt(f, p, 0), 0, 1000, 10))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"status":"ok","values":{"time_per_call":1e308,"latency.p99":-1}}`))
	f.Add([]byte(`{"status":"ok","roles":{"client":{"active":true,"result":{"elapsed":1e-300,"received":9223372036854775807,"latency":{"count":-5,"sum":1,"histogram":"x"}}}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var r journal.Run
		if json.Unmarshal(text, &r) != nil {
			return
		}
		var runs []journal.Run
		for i := range p.Cells() {
			for n := range 6 {
				r.Cell, r.Run = cellAt(t, p, i).Key, n
				runs = append(runs, r)
			}
		}
		res := analyzed(t, s, p, runs)
		for _, c := range res.Cells {
			c.Remarks()
			for _, name := range append(names(), "latency.p99", "cpu.client", "memory.server", "errors.timeout") {
				if v := c.Metric(name); v.Missing == "" && !finite(v.Number) {
					t.Errorf("%s = %v", name, v.Number)
				}
			}
		}
		pair := res.Comparison("speedup").Pairs[0]
		if o := pair.Outcome(); o.Kind == dsl.IsNumber && !finite(o.Number) || o.Kind != dsl.IsNumber && o.Why == "" {
			t.Errorf("%+v", o)
		}
		if pair.NoInterval == "" && !(finite(pair.Interval.Low) && pair.Interval.Low <= pair.Interval.High) {
			t.Errorf("%+v", pair.Interval)
		}
		NewFamily([]*Pair{pair}).Verdict(pair)
	})
}

func names() []string {
	var out []string
	for _, m := range metric.All {
		out = append(out, m.Name)
	}
	return out
}

// Keep rules of any number of runs keep from one to all of them.
func TestKeepOfEveryNumber(t *testing.T) {
	s, p := scenario(t, twoBackends)
	for n := 1; n <= 9; n++ {
		var runs []journal.Run
		for i := range n {
			runs = append(runs, constantRun(t, cellAt(t, p, 0), i, int64(1000*(i+1)), 5))
		}
		if got, want := analyzed(t, s, p, runs).Cells[0].Kept, max(1, n/2); got != want {
			t.Errorf("of %d runs, %d are kept, want %d", n, got, want)
		}
	}
}
