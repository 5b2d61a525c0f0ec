package dataset

// perfJSONSettings are the keys of an experiment's settings.
var perfJSONSettings = []field{
	{"id", "id", isText}, {"perf_test_version", "version", isText}, {"com_mean_str", "communicator", isText},
	{"topic_name", "topic", isText}, {"msg_name", "message", isText}, {"rate", "rate", "/s"},
	{"number_of_publishers", "publishers", ""}, {"number_of_subscribers", "subscribers", ""},
	{"qos_reliability", "reliability", isText}, {"qos_durability", "durability", isText},
	{"qos_history_kind", "history_kind", isText}, {"qos_history_depth", "history_depth", ""},
	{"is_zero_copy_transfer", "zero_copy", isText}, {"execution_strategy", "execution", isText},
	{"max_runtime", "max_runtime", "s"}, {"roundtrip_mode", "roundtrip_mode", isText},
}

// perfJSONRates and perfJSONUsage are the keys of a window. What is called a
// number of samples is a rate.
var (
	perfJSONRates = []field{
		{"num_samples_received", "received_rate", "/s"}, {"num_samples_sent", "sent_rate", "/s"},
		{"num_samples_lost", "lost_rate", "/s"}, {"total_data_received", "received_bytes_rate", ""},
	}
	perfJSONUsage = []field{
		{"sys_tracker_ru_utime", "cpu_user", "ns"}, {"sys_tracker_ru_stime", "cpu_system", "ns"},
		{"sys_tracker_ru_maxrss", "memory_peak", "KiB"}, {"sys_tracker_ru_minflt", "faults_minor", ""},
		{"sys_tracker_ru_majflt", "faults_major", ""}, {"sys_tracker_ru_nvcsw", "switches_voluntary", ""},
		{"sys_tracker_ru_nivcsw", "switches_involuntary", ""}, {"cpu_info_cpu_usage", "cpu_usage", "percent"},
		{"cpu_info_cpu_cores", "cpu_cores", ""},
	}
)

func perfJSON(src []byte) (map[string]any, []perfWindow, error) {
	d, err := parseJSON(src)
	if err != nil {
		return nil, nil, err
	}
	results, ok := d.root.get("analysis_results")
	if !ok || results.kind != '[' {
		return nil, nil, d.fail(d.root, `there is no array "analysis_results"; this is not a log of perf_test`)
	}
	settings := map[string]any{}
	if err := d.copy(newSheet(), settings, d.root, perfJSONSettings); err != nil {
		return nil, nil, err
	}
	if len(results.items) > MaxRows-1 {
		return nil, nil, d.fail(results, "the file has more than %d rows", MaxRows)
	}
	var windows []perfWindow
	for _, r := range results.items {
		w, err := d.perfWindow(r)
		if err != nil {
			return nil, nil, err
		}
		windows = append(windows, w)
	}
	return settings, windows, nil
}

func (d *document) perfWindow(r jsonValue) (perfWindow, error) {
	w := perfWindow{at: placeOf(d.src, r.at)}
	var err error
	need := func(key, unit string) float64 {
		v, ok := r.get(key)
		if !ok && err == nil {
			err = d.fail(r, "a result has no %s", key)
		}
		if err != nil {
			return 0
		}
		var x float64
		x, err = d.amount(v, key, unit)
		return x
	}
	w.experiment, w.loop = need("experiment_start", "ns"), need("loop_start", "ns")
	if err != nil {
		return w, err
	}
	if w.rates, err = d.amounts(r, perfJSONRates); err != nil {
		return w, err
	}
	if w.usage, err = d.amounts(r, perfJSONUsage); err != nil {
		return w, err
	}
	n := need("latency_n", "")
	if err != nil || n == 0 {
		return w, err // no messages: the tool writes zeros for what isn't finite
	}
	least, most, mean := need("latency_min", "s"), need("latency_max", "s"), need("latency_mean", "s")
	if err != nil {
		return w, err
	}
	spread := [2]float64{} // may be negative, if it overflowed
	for i, key := range []string{"latency_variance", "latency_M2"} {
		v, ok := r.get(key)
		if !ok {
			return w, d.fail(r, "a result has no %s", key)
		}
		if spread[i], err = d.number(v, key, ""); err != nil {
			return w, err
		}
	}
	if err := w.setLatency(n, least, most, mean, spread[0], spread[1]); err != nil {
		return w, d.fail(r, "%v", err)
	}
	return w, nil
}

// amounts reads those of the fields that an object has.
func (d *document) amounts(object jsonValue, fields []field) (map[string]float64, error) {
	values := map[string]float64{}
	for _, f := range fields {
		v, ok := object.get(f.key)
		if !ok {
			continue
		}
		x, err := d.amount(v, f.key, f.unit)
		if err != nil {
			return nil, err
		}
		values[f.column] = x
	}
	return values, nil
}
