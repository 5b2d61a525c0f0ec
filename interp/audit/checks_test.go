package audit

import (
	"fmt"
	"strings"
	"testing"
)

// Arguments of tests, as reports declare them.
const (
	oneCaller = "concurrency = 1"
	sized     = "payload = bytes(each.payload)"
	fixedRate = `concurrency = each.n; payload = bytes(1024); rate = "1kHz"; in_flight = 1`
	channel   = `topics = each.n; payload = bytes(each.payload); rate = "1kHz"`
)

// Each check finds its fault and is silent on a clean twin, which differs in
// nothing but the fault.
var planted = []struct {
	check     string
	severity  Severity
	want      string // in the message
	bad, good table
}{
	{"A01", Error, "X R / N = 5668.934/s x 102.385 us / 1 = 0.580",
		table{csv: "i,mean,qps; 1,102.385e-6,5668.934", tests: []string{oneCaller}},
		table{csv: "i,mean,qps; 1,172.007e-6,5662.514", tests: []string{oneCaller}}},
	{"A01", Error, "/ 4 = 1.020, above 1",
		table{csv: "i,mean,qps; 1,1e-3,4080", tests: []string{"concurrency = 4"}},
		table{csv: "i,mean,qps; 1,1e-3,4030", tests: []string{"concurrency = 4"}}},
	{"A01", Warning, "waited for calls that failed",
		table{csv: "i,mean,qps,errors; 1,1e-3,500,0.01", tests: []string{oneCaller}},
		table{csv: "i,mean,qps,errors; 1,1e-3,950,0.01", tests: []string{oneCaller}}},
	{"A02", Error, "74.01501 us between calls here and 4.593005 us there",
		table{csv: "i,mean,qps; 1,102.385e-6,5668.934; 2,172.007e-6,5662.514", tests: []string{oneCaller}},
		table{csv: "i,mean,qps; 1,137.783e-6,7032.348; 2,137.435e-6,7062.146", tests: []string{oneCaller}}},
	{"A02", Error, "between calls here and",
		table{csv: "i,mean,qps; 1,100e-6,9000; 2,100e-6,9900", tests: []string{oneCaller}},
		table{csv: "i,mean,qps; 1,10e-3,99.0; 2,10e-3,99.9", tests: []string{oneCaller}}}, // 91 us of 10 ms
	{"A03", Error, "throughput within 0.1%, latency apart by 68%",
		table{csv: "i,mean,qps; 1,102.385e-6,5668.934; 2,172.007e-6,5662.514", tests: []string{oneCaller}},
		table{csv: "i,mean,qps; 1,102.385e-6,5668.934; 2,172.007e-6,5400.514", tests: []string{oneCaller}}},
	{"A03", Error, "latency apart by 68%",
		table{csv: "i,mean,qps; 1,102.385e-6,5668.934; 2,172.007e-6,5662.514", tests: []string{oneCaller}},
		table{csv: "i,mean,qps; 1,102.385e-6,5668.934; 2,172.007e-6,5662.514", tests: []string{oneCaller + `; rate = "6kHz"`}}}, // an open loop
	{"A04", Error, "both have latency.max = 601.76 us, latency.mean = 78.294 us",
		table{csv: "i,mean,max; 1,78.294e-6,601.76e-6; 2,78.294e-6,601.76e-6"},
		table{csv: "i,mean,max; 1,78.294e-6,601.76e-6; 2,78.295e-6,601.76e-6"}},
	{"A04", Error, "both have",
		table{csv: "i,mean,max; 1,78.3e-6,602e-6; 2,78.3e-6,602e-6"},
		table{csv: "i,mean,max; 1,78e-6,602e-6; 2,78e-6,602e-6"}}, // two digits repeat by chance
	{"A05", Error, "latency.max = 99 us is below latency.p99 = 100 us",
		table{csv: "i,p50,p99,max; 1,50e-6,100e-6,99e-6"},
		table{csv: "i,p50,p99,max; 1,50e-6,100e-6,100e-6"}},
	{"A05", Error, "latency.max = 99 us is below latency.mean = 100 us",
		table{csv: "i,mean,max; 1,100e-6,99e-6"},
		table{csv: "i,mean,max; 1,100e-6,100e-6"}},
	{"A05", Error, "latency.mean = -0.001 is below 0",
		table{csv: "i,mean; 1,-1e-3"}, table{csv: "i,mean; 1,0"}},
	{"A05", Error, "throughput.rate = 1e+300 is no measurement",
		table{csv: "i,qps; 1,1e300"}, table{csv: "i,qps; 1,1e12"}},
	{"A06", Warning, "max / mean = 787.366 us / 710.772 us = 1.11",
		table{csv: "i,mean,max; 1,710.772e-6,787.366e-6"},
		table{csv: "i,mean,max; 1,710.772e-6,1087.366e-6"}},
	{"A07", Warning, "= 439, and no percentile",
		table{csv: "i,mean,max; 1,227.804e-6,99936.432e-6"},
		table{csv: "i,mean,max,p99; 1,227.804e-6,99936.432e-6,400e-6"}},
	{"A08", Warning, "3 of 3 maxima of b lie between 98.5992 ms and 100.5811 ms",
		table{csv: "n,mean,max; 1,399.444e-6,100.58109e-3; 4,681.431e-6,99.994365e-3; 8,755.568e-6,98.599196e-3"},
		table{csv: "n,mean,max; 1,399.444e-6,100.58109e-3; 4,481.431e-6,99.994365e-3; 8,455.568e-6,98.599196e-3"}},
	{"A09", Error, "max = 4.289304 s is 0.13% below 2^32 ns = 4.294967 s",
		table{csv: "i,max; 1,4.289304104"}, table{csv: "i,max; 1,4.296"}},
	{"A09", Warning, "5.46% below 2^32 ns",
		table{csv: "i,max; 1,4.060503312"}, table{csv: "i,max; 1,3.86"}},
	{"A10", Warning, "30.00315 ms at a payload of 1024, but 21.71548 ms at 2048: 27.6% less",
		table{csv: "payload,mean; 1024,30003.15e-6; 2048,21715.483e-6", tests: []string{sized}},
		table{csv: "payload,mean; 1024,22003.15e-6; 2048,21715.483e-6", tests: []string{sized}}},
	{"A11", Warning, "6243.743 us at a number of topics of 4, but 3237.104 us at 8",
		table{csv: "n,payload,mean; 4,1024,6243.743e-6; 8,1024,3237.104e-6", tests: []string{channel}},
		table{csv: "n,payload,mean; 4,1024,6243.743e-6; 8,2048,3237.104e-6", tests: []string{channel}}}, // not all else is equal
	{"A11", Info, "33.108 us at a number of topics of 1",
		table{csv: "n,payload,mean; 1,1024,33.108e-6; 4,1024,23.417e-6", tests: []string{channel}},
		table{csv: "n,payload,mean; 1,1024,33.108e-6; 4,1024,33.417e-6", tests: []string{channel}}},
	{"A12", Warning, "735 ns at a payload of 64 is a peak between 235 ns at 32 and 393 ns at 128: the line between them has 303.8997 ns here, off by 2.42x",
		table{csv: "payload,mean; 32,235e-9; 64,735e-9; 128,393e-9", tests: []string{sized}},
		table{csv: "payload,mean; 32,235e-9; 64,435e-9; 128,393e-9", tests: []string{sized}}},
	{"A13", Warning, "ln(79.6) / ln(4) = 3.16",
		table{csv: "payload,mean; 2048,21715.483e-6; 8192,1728639.372e-6", tests: []string{sized}},
		table{csv: "payload,mean; 2048,21715.483e-6; 8192,100639.372e-6", tests: []string{sized}}},
	{"A14", Warning, "one way 30.00315 ms, there and back 3979.662 us: 7.54 times",
		table{csv: "t,n,mean; 0,1,30003.15e-6; 1,1,3979.662e-6", tests: []string{`group = "g"; payload = bytes(1024); topics = each.n`, `group = "g"; payload = bytes(1024); concurrency = each.n`}},
		table{csv: "t,n,mean; 0,1,30003.15e-6; 1,1,3979.662e-6", tests: []string{`group = "g"; payload = bytes(1024); topics = each.n`, `group = "h"; payload = bytes(1024); concurrency = each.n`}}},
	{"A15", Error, "lambda W = 1000/s x 2.281672 s = 2281.7 messages of a topic under way, 18253 in all 8 topics, 18.69 MB",
		table{csv: "n,payload,mean; 8,1024,2281671.772e-6", tests: []string{channel}},
		table{csv: "n,payload,mean; 8,1024,4.9e-3", tests: []string{channel}}},
	{"A15", Warning, "= 9.4366 messages of a topic under way, 4.832 kB",
		table{csv: "n,payload,mean; 1,512,9436.628e-6", tests: []string{channel}},
		table{csv: "n,payload,mean; 1,512,4.9e-3", tests: []string{channel}}},
	{"A16", Error, "k / R = 1 / 3800.001 us = 263.1578 calls/s, not 1000/s",
		table{csv: "n,mean; 1,3800.001e-6", tests: []string{fixedRate}},
		table{csv: "n,mean; 1,830.776e-6", tests: []string{fixedRate}}},
	{"A17", Warning, "max x rate = 3131.102 us x 1000/s = 3.131102 calls",
		table{csv: "n,mean,max; 4,326.857e-6,3131.102e-6", tests: []string{fixedRate}},
		table{csv: "n,mean,max; 4,326.857e-6,931.102e-6", tests: []string{fixedRate}}},
	{"A18", Warning, "both 65.54 Mbit/s",
		table{csv: "n,payload,mean; 1,512,9e-3; 1,8192,1.7; 8,1024,2.2", tests: []string{channel}},
		table{csv: "n,payload,mean; 1,512,9e-3; 1,8192,15e-3; 8,1024,2.2", tests: []string{channel}}},
	{"A19", Warning, "5000 calls / k ms, such as 5668.934/s = 5000 / 882 ms; the runs took from 711 ms to 6376 ms",
		table{csv: "i,qps; 1,5668.934; 2,7032.348; 3,784.190; 4,4295.532"},
		table{csv: "i,qps; 1,5668.934; 2,7032.348; 3,784.191; 4,4295.532"}},
	{"A20", Info, "274.102 us at 1000/s with 1024 B, but 172.007 us at full speed with 2048 B: 59% more",
		table{csv: "t,n,mean; 0,1,274.102e-6; 1,1,172.007e-6", tests: []string{`group = "g"; ` + fixedRate, `group = "g"; payload = bytes(2048); concurrency = each.n`}},
		table{csv: "t,n,mean; 0,1,174.102e-6; 1,1,172.007e-6", tests: []string{`group = "g"; ` + fixedRate, `group = "g"; payload = bytes(2048); concurrency = each.n`}}},
	{"A21", Info, "loss.rate is 0 in all 3 rows: with 1000 messages or more in each, the rate is below 3/n = 0.003",
		table{csv: "i,loss,sent; 1,0,1000; 2,0,2000; 3,0,1001"},
		table{csv: "i,loss,sent; 1,0,1000; 2,0,2000; 3,0.001,1001"}},
	{"A22", Warning, "1 of 2 cells of t0 have no value",
		table{csv: "i,mean; 1,1e-3; 2,"}, table{csv: "i,mean; 1,1e-3; 2,2e-3"}},
	{"A22", Info, "payload and n were varied one at a time: 3 of 4 combinations",
		table{csv: "payload,n,mean; 1,1,1e-3; 2,1,1e-3; 1,2,1e-3"},
		table{csv: "payload,n,mean; 1,1,1e-3; 2,1,1e-3; 1,2,1e-3; 2,2,1e-3"}},
	{"A22", Warning, `the column "topic_num" holds the concurrency`,
		table{csv: "topic_num,mean; 1,1e-3; 2,1e-3", tests: []string{"concurrency = each.topic_num"}},
		table{csv: "topic_num,mean; 1,1e-3; 2,1e-3", tests: []string{"topics = each.topic_num"}}},
	{"A22", Info, `two numbers in one cell, such as "0.8 / 0.1"`,
		table{csv: "cpu,mean; 0.8 / 0.1,1e-3"}, table{csv: "cpu,mean; busy,1e-3"}},
	{"A23", Error, `claims "almost 40 times"`, claimOf("almost 40 times faster", 20), claimOf("almost 28 times faster", 20)},
	{"A23", Error, `is 27.29, with the rounding of the values from 27.21 to 27.37: baseline.latency.mean`, claimOf("27.5 times as fast", 20), claimOf("27.4 times as fast", 20)},
	{"A23", Error, `claims "at least 28x"`, claimOf("at least 28x", 20), claimOf("at least 27.3x", 20)},
	{"A24", Warning, "time_per_call = 1.12 s on Linux and on XP",
		table{csv: "platform,call; Linux,1.12; XP,1.12"}, table{csv: "platform,call; Linux,1.12; XP,1.13"}},
}

// claimOf is an expectation of the published test of zero copy.
func claimOf(text string, least int) table {
	return table{csv: "mode,mean; copy,0.004912; zero,0.000180", more: `
comparison "faster" {
  baseline = { mode = "copy" }
  value    = baseline.latency.mean / candidate.latency.mean
  format   = "ratio"
}
expect "` + text + `" { condition = comparison.faster >= ` + num(float64(least)) + ` }
`}
}

func TestChecksFindWhatIsPlanted(t *testing.T) {
	for _, c := range planted {
		t.Run(c.check+" "+c.want, func(t *testing.T) {
			found := of(Audit(c.bad.result(t)), c.check)
			if len(found) != 1 || found[0].Severity != c.severity || !strings.Contains(found[0].Message, c.want) {
				t.Errorf("want one %s with %q, have\n%s", c.severity, c.want, texts(found))
			}
			if found := of(Audit(c.good.result(t)), c.check); len(found) > 0 {
				t.Errorf("the clean twin has\n%s", texts(found))
			}
		})
	}
}

// Equal throughputs are one, and those of a declared rate are that rate: neither
// says how many calls a run had.
func TestGranularityOfEqualThroughputs(t *testing.T) {
	var few, rates strings.Builder
	few.WriteString("i,qps")
	rates.WriteString("n,payload,qps")
	for i := range 300 {
		fmt.Fprintf(&few, "; %d,%d", i, 9000+i%13)
	}
	for i, rate := range []int{250, 500, 1000} {
		fmt.Fprintf(&rates, "; %d,1024,%d", i+1, rate)
	}
	for _, x := range []table{{csv: few.String()}, {csv: rates.String(), tests: []string{fixedRate}}} {
		if found := of(Audit(x.result(t)), "A19"); len(found) != 0 {
			t.Errorf("%s", texts(found))
		}
	}
}

// A chart shows what its table has: not other values, not under each other's
// names, and nothing that the table lacks.
func TestChartOfATable(t *testing.T) {
	bench := func(chart, axis string) []*Finding {
		src := `
scenario "s" {}
dataset "csv" "table" { file = "table.csv" }
dataset "csv" "chart" {
  file  = "chart.csv"
  names = { bytes = "size" }
}
`
		for _, source := range []string{"table", "chart"} {
			for _, who := range []string{"grpc", "http", "mqtt"} {
				src += `backend "replay" "` + source + "_" + who + `" {
  title   = "` + who + `"
  dataset = dataset.` + source + `
  where   = { who = "` + who + `" }
  metrics = { "throughput.rate" = column("qps") }
}
`
			}
		}
		src += `
test "replay" "bench" {
  payload = bytes(each.size)
  sweep {
    backend = [backend.table_grpc, backend.table_http, backend.table_mqtt]
    size    = [512, 2048]
    ` + axis + `
  }
}
test "replay" "chart" {
  shows   = test.bench
  payload = bytes(each.bytes)
  sweep {
    backend = [backend.chart_grpc, backend.chart_http, backend.chart_mqtt]
    bytes   = [512, 2048, 8192]
    where   = exists(dataset.chart, { who = each.backend.title, bytes = each.bytes })
  }
}
`
		return of(Audit(replayed(t, "main.hcl", map[string][]byte{"main.hcl": []byte(src), "chart.csv": []byte(chart),
			"table.csv": []byte("who,size,qps\ngrpc,512,5668.934\nhttp,512,7032.348\nmqtt,512,4295.532\ngrpc,2048,5662.514\nhttp,2048,7062.146\nmqtt,2048,4022.526\n")})), "A25")
	}
	right := "who,size,qps\ngrpc,512,5669\nhttp,512,7032\nmqtt,512,4296\ngrpc,2048,5663\nhttp,2048,7062\nmqtt,2048,4023\n"
	if found := bench(right, ""); len(found) != 0 {
		t.Errorf("a chart of the table, rounded:\n%s", texts(found))
	}
	swapped := strings.NewReplacer("http", "mqtt", "mqtt", "http").Replace(right)
	found := bench(swapped, "")
	if len(found) != 4 || !strings.Contains(texts(found), "throughput.rate is 4296 here and 7032.348 in the table, where mqtt has the value that is called http here.") {
		t.Errorf("http and mqtt swapped:\n%s", texts(found))
	}
	found = bench(strings.Replace(right, "grpc,2048,5663", "grpc,2048,5664", 1), "")
	if len(found) != 1 || found[0].Severity != Error || !strings.Contains(found[0].Message, "throughput.rate is 5664 here and 5662.514 in the table.") {
		t.Errorf("one value differs by more than rounding:\n%s", texts(found))
	}
	found = bench(strings.Replace(right, "http,2048", "http,8192", 1), "")
	if len(found) != 1 || found[0].Severity != Warning || !strings.Contains(found[0].Message, "the table has no row for http with this load.") {
		t.Errorf("a row that the table lacks:\n%s", texts(found))
	}
	found = bench(right, "again = [1, 2]")
	if len(found) != 6 || !strings.Contains(texts(found), "the table has 2 rows for grpc with this load: declare") {
		t.Errorf("two rows that a row of the chart may show:\n%s", texts(found))
	}
}

// Every check is tested, and says so where it lacks its input.
func TestChecksAreComplete(t *testing.T) {
	tested := map[string]bool{"A25": true} // TestChartOfATable
	for _, c := range planted {
		tested[c.check] = true
	}
	unchecked := map[string]bool{}
	for _, f := range Audit(table{csv: "i,loss; 1,0; 2,0.1"}.result(t)) {
		if f.NotChecked {
			unchecked[f.Check.ID] = true
		} else {
			t.Errorf("of two rates: %s", f)
		}
	}
	for _, c := range Checks() {
		if !tested[c.ID] {
			t.Errorf("%s has no fault planted", c.ID)
		}
		if Lookup(c.ID) != c || Lookup(strings.ToLower(c.ID)) != c {
			t.Errorf("%s is not found", c.ID)
		}
		for name, text := range map[string]string{"Title": c.Title, "What": c.What, "Formula": c.Formula, "Tolerance": c.Tolerance, "Source": c.Source, "Needs": c.Needs} {
			if text == "" || strings.HasSuffix(text, ".") != (name != "Title" && name != "Needs") {
				t.Errorf("%s.%s is %q: a sentence, but for Title and Needs", c.ID, name, text)
			}
		}
		if c.ID != "A22" && !unchecked[c.ID] {
			t.Errorf("%s does not say that it could not be checked without its numbers", c.ID)
		}
	}
}
