package dataset

// ombSettings are the keys that say what was measured.
var ombSettings = []field{
	{"workload", "workload", isText}, {"driver", "driver", isText}, {"topics", "topics", ""},
	{"partitions", "partitions", ""}, {"messageSize", "payload", "B"},
	{"producersPerTopic", "producers", ""}, {"consumersPerTopic", "consumers", ""},
}

// ombRates are the series of rates, a value a window.
var ombRates = []field{
	{"publishRate", "publish_rate", "/s"}, {"publishErrorRate", "publish_error_rate", "/s"},
	{"consumeRate", "consume_rate", "/s"},
}

// ombLatencies are the families of latencies: a series NAMEAvg, NAME50pct, ...
// and one value aggregatedNAMEAvg, ... of the whole. The delay of publishing
// is in microseconds, the others in milliseconds (WorkloadGenerator.java).
var ombLatencies = []struct{ series, whole, column, unit string }{
	{"publishLatency", "aggregatedPublishLatency", "publish_latency", "ms"},
	{"publishDelayLatency", "aggregatedPublishDelayLatency", "publish_delay", "us"},
	{"endToEndLatency", "aggregatedEndToEndLatency", "end_to_end_latency", "ms"},
}

var ombStatistics = []struct{ suffix, column string }{
	{"Avg", "mean"}, {"50pct", "p50"}, {"75pct", "p75"}, {"95pct", "p95"}, {"99pct", "p99"},
	{"999pct", "p99_9"}, {"9999pct", "p99_99"}, {"99999pct", "p99_999"}, {"Max", "max"},
}

// readOpenMessaging reads a result file of the OpenMessaging benchmark.
//
// The first row, scope "total", has the aggregated latencies, from merged
// histograms, and the means of the rates over the windows, which are all about
// 10 s long (the file doesn't say how long exactly). Then a row a window, scope
// "window", numbered in window. Settings are in workload, driver, topics,
// partitions, payload (B), producers and consumers (each a topic); results in
// publish_rate, publish_error_rate, consume_rate (1/s), backlog (messages, at
// the end of the window), and publish_latency_S, publish_delay_S (intended to
// actual send) and end_to_end_latency_S (s) for S of mean, p50, p75, p95, p99,
// p99_9, p99_99, p99_999 and max.
//
// A family whose maximum is 0 recorded nothing and is absent: the tool drops
// end-to-end values that are not positive without counting them, and it never
// fills the 99.999th percentile in some versions.
func readOpenMessaging(src []byte, _ Options) (*Table, error) {
	d, err := parseJSON(src)
	if err != nil {
		return nil, err
	}
	rates, err := d.list(d.root, "publishRate")
	if err != nil {
		return nil, err
	}
	if rates == nil {
		return nil, d.fail(d.root, `there is no "publishRate"; this is not a result of the OpenMessaging benchmark`)
	}
	s := newSheet("scope", "window")
	total, err := d.ombRow(s, "total")
	if err != nil {
		return nil, err
	}
	if err := d.ombTotal(s, total); err != nil {
		return nil, err
	}
	for i := range rates {
		row, err := d.ombRow(s, "window")
		if err != nil {
			return nil, err
		}
		s.set(row, "window", float64(i+1))
		if err := d.ombWindow(s, row, i); err != nil {
			return nil, err
		}
	}
	return s.table()
}

func (d *document) ombRow(s *sheet, scope string) (map[string]any, error) {
	row, err := s.add(placeOf(d.src, d.root.at))
	if err != nil {
		return nil, err
	}
	s.set(row, "scope", scope)
	return row, d.copy(s, row, d.root, ombSettings)
}

// ombTotal sets what holds for the whole measurement.
func (d *document) ombTotal(s *sheet, row map[string]any) error {
	for _, f := range ombRates {
		values, err := d.series(f.key)
		if err != nil {
			return err
		}
		sum := 0.0
		for _, v := range values {
			x, err := d.amount(v, f.key, f.unit)
			if err != nil {
				return err
			}
			sum += x / float64(len(values))
		}
		if len(values) > 0 {
			s.set(row, f.column, sum)
		}
	}
	for _, l := range ombLatencies {
		recorded, ok := d.root.get(l.whole + "Max")
		if !ok {
			continue
		}
		most, err := d.amount(recorded, l.whole+"Max", l.unit)
		if err != nil {
			return err
		}
		for _, st := range ombStatistics {
			v, ok := d.root.get(l.whole + st.suffix)
			if !ok || most == 0 {
				continue
			}
			x, err := d.amount(v, l.whole+st.suffix, l.unit)
			if err != nil {
				return err
			}
			if st.suffix == "99999pct" && x == 0 {
				continue // a field that this version of the tool has but never fills
			}
			s.set(row, l.column+"_"+st.column, x)
		}
	}
	return nil
}

// ombWindow sets what holds for window i.
func (d *document) ombWindow(s *sheet, row map[string]any, i int) error {
	set := func(key, column, unit string) error {
		values, err := d.series(key)
		if err != nil || len(values) == 0 {
			return err
		}
		x, err := d.amount(values[i], key, unit)
		if err == nil {
			s.set(row, column, x)
		}
		return err
	}
	for _, f := range append([]field{{"backlog", "backlog", ""}}, ombRates...) {
		if err := set(f.key, f.column, f.unit); err != nil {
			return err
		}
	}
	for _, l := range ombLatencies {
		most := "" // of the window, to see whether it recorded anything
		if values, err := d.series(l.series + "Max"); err != nil {
			return err
		} else if len(values) > 0 {
			most = values[i].text
		}
		if most == "0" || most == "0.0" {
			continue
		}
		for _, st := range ombStatistics {
			if err := set(l.series+st.suffix, l.column+"_"+st.column, l.unit); err != nil {
				return err
			}
		}
	}
	return nil
}

// series returns an array with a value a window, or nothing. A list of another
// length than the rates' means that the file was cut or edited.
func (d *document) series(key string) ([]jsonValue, error) {
	values, err := d.list(d.root, key)
	if err != nil || len(values) == 0 {
		return nil, err
	}
	rates, _ := d.root.get("publishRate")
	if len(values) != len(rates.items) {
		v, _ := d.root.get(key)
		return nil, d.fail(v, "%s has %s, and publishRate has %d; the file is damaged", key, count(len(values), "value"), len(rates.items))
	}
	return values, nil
}
