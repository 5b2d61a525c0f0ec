package dsl

import (
	"strings"

	"versus/dsl/schema"
	"versus/stdlib/dataset"
)

// datasetFormats are the formats of datasets. Package dataset reads them; its
// comments say more about what a format can't tell.
var datasetFormats = []schema.Kind{
	{Name: "csv", Doc: "Comma-separated values with a header line.", Attrs: []schema.Attr{
		{Name: "units", Type: schema.Map, Doc: "The unit of a column; its values become SI units.", Example: "{ avg_latency_us = \"us\", loss_rate_percent = \"percent\" }"},
		{Name: "names", Type: schema.Map, Doc: "Other names for columns: new name to the header's.", Example: "{ payload = \"payload_bytes\" }"},
		{Name: "na", Type: schema.List, Doc: "The texts that mean that there is no value.", Default: `["", "N/A", "NA", "-"]`},
	}},
	{Name: "perf_test", Doc: paragraphs(
		"A log of Apex.AI performance_test (`perf_test -l`): CSV of any version, or JSON of 1.2 to 2.3.",
		"The first row has `scope` \"total\" and is of all windows together; then comes a row a window, about a second, with `scope` \"window\". A first line of the log whose interval began before the experiment counts next to nothing: its `scope` is \"startup\", and it is not in the total. All values are in SI units.",
		"Settings, the same in every row: `id`, `version`, `communicator`, `topic`, `message`, `rate` (as asked for; 0: as fast as it goes), `publishers`, `subscribers`, `reliability`, `durability`, `history_kind`, `history_depth`, `zero_copy`, `execution`, `max_runtime`, `roundtrip_mode`, and `latency_kind`: \"one-way\", or \"round-trip\" for the full time there and back.",
		"Results: `t` (since the start), `duration`, `received_rate`, `sent_rate`, `lost_rate` (cut to whole numbers by the tool: one loss in a second may read 0), `received_bytes_rate`, `loss_rate` (lost to sent; absent where nothing was sent), `latency_count`, `latency_min`, `latency_max`, `latency_mean`, `latency_stddev` (absent where the tool's arithmetic may have overflowed, and in the total of a CSV), `cpu_user`, `cpu_system` and `memory_peak` (since the process began), `faults_minor`, `faults_major`, `switches_voluntary`, `switches_involuntary`, `cpu_usage` (a share of all cores), `cpu_cores`. There are no percentiles.")},
	{Name: "aimrt", Doc: paragraphs(
		"AimRT's benchmark results: a log with its lines `Benchmark plan N completed, report:`, or the CSV tables of AimRT 0.10 and 1.x.",
		"A row is a plan, with, as far as the file has them, in SI units: `plan`, `backend`, `role`, `mode`, `rate` (of each topic or caller), `topics`, `parallel`, `payload`, `messages_per_topic`, `calls_per_caller`, `sent`, `received`, `calls`, `succeeded`, `duration`, `throughput` (failed calls counted), `loss_rate`, `error_rate`, `latency_min`, `latency_max`, `latency_mean`, `latency_p90`, `latency_p99`, `latency_p99_9`, `cpu_mean` and `cpu_max` (a share of one core), `memory_mean`, `memory_max`. Other columns stay as they are.",
		"The file can't show that one-way latencies of two hosts hold the offset of their clocks (a negative one is written as 0), nor that latencies of 4.3 s and more start again at 0."), Attrs: []schema.Attr{
		{Name: "loss", Type: schema.String, OneOf: []string{dataset.LossPercent, dataset.LossFraction, dataset.LossCounts}, Doc: "How the loss and error rates are written, whatever their heading says: as percentages, as fractions, or wrongly, so that the counts must tell. If absent, the counts in the rows tell which of the first two it is, and a file that fits neither is refused."},
	}},
	{Name: "openmessaging", Doc: paragraphs(
		"A result file (JSON) of the OpenMessaging benchmark.",
		"The first row has `scope` \"total\", with the aggregated latencies and the means of the rates; then comes a row a window of about 10 s, `scope` \"window\". Columns, in SI units: `window`, `workload`, `driver`, `topics`, `partitions`, `payload`, `producers` and `consumers` (of each topic), `publish_rate`, `publish_error_rate`, `consume_rate`, `backlog`, and `publish_latency_S`, `publish_delay_S` (from the intended to the actual send) and `end_to_end_latency_S` for S of `mean`, `p50`, `p75`, `p95`, `p99`, `p99_9`, `p99_99`, `p99_999`, `max`. The tool drops end-to-end values that are not positive without counting them; latencies of which the maximum is 0 are absent.")},
	{Name: "hdr", Doc: paragraphs(
		"An interval log of HdrHistogram (.hlog), with histograms encoded as V1 or V2.",
		"First comes, for each tag, a row of the merged histogram, `scope` \"total\"; then a row an interval, `scope` \"interval\". Columns, in SI units: `tag`, `start`, `duration`, `count`, `throughput`, `latency_min`, `latency_mean`, `latency_stddev`, `latency_p50`, `latency_p75`, `latency_p90`, `latency_p95`, `latency_p99`, `latency_p99_9`, `latency_p99_99`, `latency_max`, as exact as the histogram's buckets."), Attrs: []schema.Attr{
		{Name: "unit", Type: schema.String, Required: true, OneOf: []string{"ns", "us", "ms", "s"}, Doc: "The unit of the values that were recorded. The log doesn't say.", Example: "\"ns\""},
	}},
	{Name: "hyperfine", Doc: paragraphs(
		"What `hyperfine --export-json` writes.",
		"Each command has a row a run, `scope` \"run\", with `command`, `run` (from 1), `time`, `exit_code`, `memory`; then one of `scope` \"summary\" with hyperfine's own `mean`, `stddev`, `median`, `min`, `max`, `user`, `system`. Times are in seconds. A parameter NAME is the column `parameter_NAME`.")},
	{Name: "gobench", Doc: paragraphs(
		"What `go test -bench` prints and benchstat reads.",
		"A row is a result line: `name`, `procs`, `iterations`, the parts `KEY=VALUE` of the name as columns KEY, the configuration lines above (`goos`, `pkg`, ...), and a column a unit, in SI: `s/op`, `B/s`, `B/op`, `allocs/op`. Units of its own stay as they are, but for ns, us and ms, which become s.")},
}

// paragraphs joins the parts of a long description: the first is for lists.
func paragraphs(parts ...string) string { return strings.Join(parts, "\n\n") }
