# AimRT's four published tables of RPC backends, recomputed: relative differences
# to gRPC. In the tables at a fixed rate, the column headed "Topic num" is the number
# of parallel callers. Each row was measured once, so that no interval is possible.
#
#   versus run scenarios/aimrt_rpc_published.hcl

scenario "aimrt_rpc_published" {
  title = "AimRT RPC backends, as published"
}

dataset "csv" "single_host_bench" {
  file        = "data/aimrt_rpc_single_host_bench.csv"
  environment = "Intel Core i5-1350P with 16 CPUs, GNU/Linux, x86_64; kernel, versions and flags are not published"
  names       = { payload = "payload_bytes" }
  units = {
    avg_latency_us     = "us"
    max_latency_us     = "us"
    error_rate_percent = "percent"
  }
}

dataset "csv" "cross_host_bench" {
  file        = "data/aimrt_rpc_cross_host_bench.csv"
  environment = "two hosts, each an Intel Core i5-1350P with 16 CPUs, GNU/Linux, x86_64; network, kernel, versions and flags are not published"
  names       = { payload = "payload_bytes" }
  units = {
    avg_latency_us     = "us"
    max_latency_us     = "us"
    error_rate_percent = "percent"
  }
}

dataset "csv" "single_host_fixed" {
  file        = "data/aimrt_rpc_single_host_fixed.csv"
  environment = "Intel Core i5-1350P with 16 CPUs, GNU/Linux, x86_64; kernel, versions and flags are not published"
  names       = { payload = "payload_bytes", parallel = "topic_num_column" }
  units = {
    avg_latency_us     = "us"
    max_latency_us     = "us"
    error_rate_percent = "percent"
  }
}

dataset "csv" "cross_host_fixed" {
  file        = "data/aimrt_rpc_cross_host_fixed.csv"
  environment = "two hosts, each an Intel Core i5-1350P with 16 CPUs, GNU/Linux, x86_64; network, kernel, versions and flags are not published"
  names       = { payload = "payload_bytes", parallel = "topic_num_column" }
  units = {
    avg_latency_us     = "us"
    max_latency_us     = "us"
    error_rate_percent = "percent"
  }
}

locals {
  fixed = {
    "latency.mean" = column("avg_latency_us")
    "latency.max"  = column("max_latency_us")
    "errors.rate"  = column("error_rate_percent")
  }
  bench = merge(local.fixed, { "throughput.rate" = column("qps_per_s") })
}

backend "replay" "grpc_sb" {
  title   = "grpc"
  dataset = dataset.single_host_bench
  where   = { backend = "grpc" }
  metrics = local.bench
}

backend "replay" "http_sb" {
  title   = "http"
  dataset = dataset.single_host_bench
  where   = { backend = "http" }
  metrics = local.bench
}

backend "replay" "ros2_sb" {
  title   = "ros2"
  dataset = dataset.single_host_bench
  where   = { backend = "ros2" }
  metrics = local.bench
}

backend "replay" "mqtt_sb" {
  title   = "mqtt"
  dataset = dataset.single_host_bench
  where   = { backend = "mqtt" }
  metrics = local.bench
}

backend "replay" "grpc_cb" {
  title   = "grpc"
  dataset = dataset.cross_host_bench
  where   = { backend = "grpc" }
  metrics = local.bench
}

backend "replay" "http_cb" {
  title   = "http"
  dataset = dataset.cross_host_bench
  where   = { backend = "http" }
  metrics = local.bench
}

backend "replay" "mqtt_cb" {
  title   = "mqtt"
  dataset = dataset.cross_host_bench
  where   = { backend = "mqtt" }
  metrics = local.bench
}

backend "replay" "grpc_sf" {
  title   = "grpc"
  dataset = dataset.single_host_fixed
  where   = { backend = "grpc" }
  metrics = local.fixed
}

backend "replay" "http_sf" {
  title   = "http"
  dataset = dataset.single_host_fixed
  where   = { backend = "http" }
  metrics = local.fixed
}

backend "replay" "ros2_sf" {
  title   = "ros2"
  dataset = dataset.single_host_fixed
  where   = { backend = "ros2" }
  metrics = local.fixed
}

backend "replay" "mqtt_sf" {
  title   = "mqtt"
  dataset = dataset.single_host_fixed
  where   = { backend = "mqtt" }
  metrics = local.fixed
}

backend "replay" "grpc_cf" {
  title   = "grpc"
  dataset = dataset.cross_host_fixed
  where   = { backend = "grpc" }
  metrics = local.fixed
}

backend "replay" "http_cf" {
  title   = "http"
  dataset = dataset.cross_host_fixed
  where   = { backend = "http" }
  metrics = local.fixed
}

backend "replay" "mqtt_cf" {
  title   = "mqtt"
  dataset = dataset.cross_host_fixed
  where   = { backend = "mqtt" }
  metrics = local.fixed
}

test "replay" "single_host_bench" {
  title        = "One host, as fast as possible"
  group        = "One host"
  payload      = bytes(each.payload)
  concurrency  = 1
  latency_kind = "round_trip"

  sweep {
    backend = [backend.grpc_sb, backend.http_sb, backend.ros2_sb, backend.mqtt_sb]
    payload = [512, 2048]
  }
}

test "replay" "cross_host_bench" {
  title        = "Two hosts, as fast as possible"
  group        = "Two hosts"
  payload      = bytes(each.payload)
  concurrency  = 1
  latency_kind = "round_trip"

  sweep {
    backend = [backend.grpc_cb, backend.http_cb, backend.mqtt_cb]
    payload = [512, 2048, 8192]
  }
}

test "replay" "single_host_fixed" {
  title        = "One host, fixed rate"
  group        = "One host"
  payload      = bytes(1024)
  concurrency  = each.parallel
  rate         = "1kHz" # of each caller
  in_flight    = 1      # a caller waits for the answer
  latency_kind = "round_trip"

  sweep {
    backend  = [backend.grpc_sf, backend.http_sf, backend.ros2_sf, backend.mqtt_sf]
    parallel = [1, 4, 8]
  }
}

test "replay" "cross_host_fixed" {
  title        = "Two hosts, fixed rate"
  group        = "Two hosts"
  payload      = bytes(1024)
  concurrency  = each.parallel
  rate         = "1kHz" # of each caller
  in_flight    = 1      # a caller waits for the answer
  latency_kind = "round_trip"

  sweep {
    backend  = [backend.grpc_cf, backend.http_cf, backend.mqtt_cf]
    parallel = [1, 4, 8]
  }
}

locals {
  grpc = [backend.grpc_sb, backend.grpc_cb, backend.grpc_sf, backend.grpc_cf]
}

# Both are positive where gRPC is the faster one: 50% is 1.5 times.
comparison "grpc_latency" {
  title    = "gRPC faster by (latency)"
  baseline = { backend = local.grpc }
  value    = (candidate.latency.mean - baseline.latency.mean) / baseline.latency.mean
  format   = "percent"
}

comparison "grpc_rate" {
  title    = "gRPC faster by (QPS)"
  baseline = { backend = local.grpc }
  value    = baseline.throughput.rate / candidate.throughput.rate - 1
  format   = "percent"
  test     = [test.single_host_bench, test.cross_host_bench]
}

table "single_host_bench" {
  title = "One host, as fast as possible"
  test  = test.single_host_bench
  rows  = [each.payload, each.backend]

  column "Avg Latency (us)" { value = latency.mean * 1e6 }
  column "Max Latency (us)" { value = latency.max * 1e6 }
  column "QPS" { value = throughput.rate }
  column "Error Rate (%)" { value = errors.rate * 100 }
  column "gRPC faster by (latency)" { value = comparison.grpc_latency }
  column "gRPC faster by (QPS)" { value = comparison.grpc_rate }
}

table "cross_host_bench" {
  title = "Two hosts, as fast as possible"
  test  = test.cross_host_bench
  rows  = [each.payload, each.backend]

  column "Avg Latency (us)" { value = latency.mean * 1e6 }
  column "Max Latency (us)" { value = latency.max * 1e6 }
  column "QPS" { value = throughput.rate }
  column "Error Rate (%)" { value = errors.rate * 100 }
  column "gRPC faster by (latency)" { value = comparison.grpc_latency }
  column "gRPC faster by (QPS)" { value = comparison.grpc_rate }
}

table "single_host_fixed" {
  title = "One host, fixed rate"
  test  = test.single_host_fixed
  rows  = [each.parallel, each.backend]

  column "Avg Latency (us)" { value = latency.mean * 1e6 }
  column "Max Latency (us)" { value = latency.max * 1e6 }
  column "Error Rate (%)" { value = errors.rate * 100 }
  column "gRPC faster by (latency)" { value = comparison.grpc_latency }
}

table "cross_host_fixed" {
  title = "Two hosts, fixed rate"
  test  = test.cross_host_fixed
  rows  = [each.parallel, each.backend]

  column "Avg Latency (us)" { value = latency.mean * 1e6 }
  column "Max Latency (us)" { value = latency.max * 1e6 }
  column "Error Rate (%)" { value = errors.rate * 100 }
  column "gRPC faster by (latency)" { value = comparison.grpc_latency }
}

# The charts of the published report.
chart "single_host_bench_latency" {
  title  = "One host, as fast as possible: average latency over message size"
  test   = test.single_host_bench
  x      = each.payload
  y      = latency.mean * 1e6
  series = each.backend
  x_axis {
    scale = "log2"
    label = "message size"
  }
  y_axis { label = "average latency (us)" }
}

chart "single_host_bench_qps" {
  title  = "One host, as fast as possible: calls per second over message size"
  test   = test.single_host_bench
  x      = each.payload
  y      = throughput.rate
  series = each.backend
  x_axis {
    scale = "log2"
    label = "message size"
  }
  y_axis { label = "calls per second" }
}

chart "single_host_fixed_latency" {
  title  = "One host, fixed rate: average latency over callers"
  test   = test.single_host_fixed
  x      = each.parallel
  y      = latency.mean * 1e6
  series = each.backend
  x_axis { label = "callers, at 1 kHz each" }
  y_axis { label = "average latency (us)" }
}

chart "cross_host_bench_latency" {
  title  = "Two hosts, as fast as possible: average latency over message size"
  test   = test.cross_host_bench
  x      = each.payload
  y      = latency.mean * 1e6
  series = each.backend
  x_axis {
    scale = "log2"
    label = "message size"
  }
  y_axis { label = "average latency (us)" }
}

chart "cross_host_bench_qps" {
  title  = "Two hosts, as fast as possible: calls per second over message size"
  test   = test.cross_host_bench
  x      = each.payload
  y      = throughput.rate
  series = each.backend
  x_axis {
    scale = "log2"
    label = "message size"
  }
  y_axis { label = "calls per second" }
}

chart "cross_host_fixed_latency" {
  title  = "Two hosts, fixed rate: average latency over callers"
  test   = test.cross_host_fixed
  x      = each.parallel
  y      = latency.mean * 1e6
  series = each.backend
  x_axis { label = "callers, at 1 kHz each" }
  y_axis { label = "average latency (us)" }
}

# What `versus audit` finds in these tables: known, so that only something new
# fails.

locals {
  bench_grpc_ros2 = [backend.grpc_sb, backend.ros2_sb]
}

expect "QPS and latency contradict each other: grpc at 512 B, ros2 at both sizes" {
  finding = "A01"
  test    = test.single_host_bench
  where   = each.backend == backend.ros2_sb || each.backend == backend.grpc_sb && each.payload == 512
}

expect "The time between grpc's calls is 16 times as long at 512 B as at 2048 B" {
  finding = "A02"
  test    = test.single_host_bench
  where   = each.backend == backend.grpc_sb
}

expect "Equal QPS at unequal latencies: grpc and ros2" {
  finding = "A03"
  test    = test.single_host_bench
  where   = contains(local.bench_grpc_ros2, each.backend)
}

expect "A timer makes the maxima of mqtt" {
  finding = "A08"
  where   = each.backend == backend.mqtt_sb || each.backend == backend.mqtt_sf
}

expect "Between two hosts, no caller that waits for answers can make 1000 calls a second" {
  finding = "A16"
  test    = test.cross_host_fixed
}

expect "Each QPS is 5000 calls over whole milliseconds: the runs on one host took under 10 s" {
  finding = "A19"
  test    = [test.single_host_bench, test.cross_host_bench]
}

expect "On one host, one caller is slower at 1 kHz than at full speed" {
  finding = "A20"
  test    = test.single_host_fixed
  where   = each.parallel == 1
}

expect "Nothing else is wrong" {
  finding = "none"
}
