# Request/response between two processes, as AimRT measures it: as fast as one caller
# goes, and at a fixed rate; beside it what AimRT has published of its backends.
#
#   versus run scenarios/aimrt_rpc.hcl
#   versus run -var quick=true scenarios/aimrt_rpc.hcl   (half a minute)
#
# AimRT's figures are from another machine, with 16 CPUs, and of its own runtime on
# these systems; "ros2" there is rclcpp with its executor, which neither "ROS 2 (rcl)"
# here has nor DDS. `versus drivers` says how to get ROS 2, which is not in Debian.
# AimRT's fixed rate counts from when a caller had time to call; here latency counts
# from when the call was due.

variable "quick" {
  type        = bool
  default     = false
  description = "Short runs of fewer cells: to see that it works; versus lint says what that costs."
}

variable "cpus" {
  type        = list(string)
  default     = ["0", "1"]
  description = "Where the client runs, and where the server and the broker."
}

scenario "aimrt_rpc" {
  title = "RPC backends"
}

host "local" "client" { cpus = var.cpus[0] }
host "local" "server" { cpus = var.cpus[1] }

backend "grpc" "grpc" {}
backend "http" "http" {}

backend "ros2" "ros2" { title = "ROS 2 (rcl, no rclcpp executor)" }

backend "dds" "dds" {
  title      = "DDS (ROS 2 wire, no executor)"
  convention = "ros2" # names, types and headers as rmw_cyclonedds has them
}

backend "mqtt" "mqtt" {
  version = "5"
  broker "mosquitto" {}
}

# The floor: what the two processes take with nothing in between.
backend "tcp" "tcp" { title = "TCP, the floor" }

dataset "csv" "bench" {
  file        = "data/aimrt_rpc_single_host_bench.csv"
  environment = "Intel Core i5-1350P with 16 CPUs, GNU/Linux, x86_64; kernel, versions and flags are not published"
  names       = { payload = "payload_bytes" }
  units = {
    avg_latency_us     = "us"
    max_latency_us     = "us"
    error_rate_percent = "percent"
  }
}

dataset "csv" "fixed" {
  file        = "data/aimrt_rpc_single_host_fixed.csv"
  environment = "Intel Core i5-1350P with 16 CPUs, GNU/Linux, x86_64; kernel, versions and flags are not published"
  names       = { parallel = "topic_num_column" }
  units = {
    avg_latency_us     = "us"
    max_latency_us     = "us"
    error_rate_percent = "percent"
  }
}

locals {
  published = {
    "latency.mean" = column("avg_latency_us")
    "latency.max"  = column("max_latency_us")
    "errors.rate"  = column("error_rate_percent")
  }
  published_bench = merge(local.published, { "throughput.rate" = column("qps_per_s") })
  live            = [backend.grpc, backend.http, backend.ros2, backend.dds, backend.mqtt, backend.tcp]
  payloads        = var.quick ? [512] : [512, 2048, 8192]
  parallel        = var.quick ? [1] : [1, 4, 8]
}

backend "replay" "grpc_bench" {
  title   = "grpc, published"
  dataset = dataset.bench
  where   = { backend = "grpc" }
  metrics = local.published_bench
}

backend "replay" "grpc_fixed" {
  title   = "grpc, published"
  dataset = dataset.fixed
  where   = { backend = "grpc" }
  metrics = local.published
}

backend "replay" "http_bench" {
  title   = "http, published"
  dataset = dataset.bench
  where   = { backend = "http" }
  metrics = local.published_bench
}

backend "replay" "http_fixed" {
  title   = "http, published"
  dataset = dataset.fixed
  where   = { backend = "http" }
  metrics = local.published
}

backend "replay" "ros2_bench" {
  title   = "ros2, published"
  dataset = dataset.bench
  where   = { backend = "ros2" }
  metrics = local.published_bench
}

backend "replay" "ros2_fixed" {
  title   = "ros2, published"
  dataset = dataset.fixed
  where   = { backend = "ros2" }
  metrics = local.published
}

backend "replay" "mqtt_bench" {
  title   = "mqtt, published"
  dataset = dataset.bench
  where   = { backend = "mqtt" }
  metrics = local.published_bench
}

backend "replay" "mqtt_fixed" {
  title   = "mqtt, published"
  dataset = dataset.fixed
  where   = { backend = "mqtt" }
  metrics = local.published
}

methodology "rpc" {
  warmup { duration = var.quick ? "300ms" : "1s" }
  measure { duration = var.quick ? "500ms" : "10s" }
  repeat { runs = var.quick ? 2 : 6 }
  order = "random"
  seed  = 1
}

defaults {
  methodology = methodology.rpc
  host        = host.server
  place       = { client = host.client }
}

test "rpc" "bench" {
  title       = "As fast as possible"
  payload     = bytes(each.payload)
  concurrency = 1

  sweep {
    backend = local.live
    payload = local.payloads
  }
}

test "replay" "bench_published" {
  title       = "As fast as possible, published"
  payload     = bytes(each.payload)
  concurrency = 1

  repeat { runs = 1 }

  sweep {
    backend = [backend.grpc_bench, backend.http_bench, backend.ros2_bench, backend.mqtt_bench]
    payload = local.payloads
  }
}

test "rpc" "fixed_rate" {
  title       = "Fixed rate"
  payload     = bytes(1024)
  concurrency = each.parallel
  rate        = "1kHz" # of each of the parallel callers

  sweep {
    backend  = local.live
    parallel = local.parallel
  }
}

test "replay" "fixed_rate_published" {
  title       = "Fixed rate, published"
  payload     = bytes(1024)
  concurrency = each.parallel
  rate        = "1kHz" # of each caller
  in_flight   = 1      # a caller waits for the answer

  repeat { runs = 1 }

  sweep {
    backend  = [backend.grpc_fixed, backend.http_fixed, backend.ros2_fixed, backend.mqtt_fixed]
    parallel = local.parallel
  }
}

table "bench" {
  title = "As fast as possible, and as published"
  test  = [test.bench, test.bench_published]
  rows  = [each.payload, each.backend]

  column "Avg Latency (us)" { value = latency.mean * 1e6 }
  column "sd (us)" { value = latency.stddev * 1e6 }
  column "Max Latency (us)" { value = latency.max * 1e6 } # lint:ignore L01 as AimRT publishes it
  column "calls" { value = samples.received }
  column "QPS" { value = throughput.rate }
  column "Error Rate (%)" { value = errors.rate * 100 }
  column "Avg CPU Usage (%)" { value = "${fixed(cpu.client * 100, 1)}/${fixed(cpu.server * 100, 1)}" }
}

table "fixed_rate" {
  title = "At 1 kHz of each caller, and as published"
  test  = [test.fixed_rate, test.fixed_rate_published]
  rows  = [each.parallel, each.backend]

  column "Avg Latency (us)" { value = latency.mean * 1e6 }
  column "p99 (us)" { value = latency.p99 * 1e6 }
  column "Max Latency (us)" { value = latency.max * 1e6 }
  column "calls" { value = samples.received }
  column "Achieved/offered" { value = rate.achieved / rate.offered }
  column "Error Rate (%)" { value = errors.rate * 100 }
}

chart "latency_spectrum" {
  title  = "Fixed rate, one caller: what share of the calls takes how long"
  kind   = "percentiles" # the whole distribution, not a mean
  test   = test.fixed_rate
  y      = latency
  series = each.backend
  where  = each.parallel == 1
}

chart "bench_latency" {
  title  = "As fast as possible: average latency over message size"
  test   = [test.bench, test.bench_published]
  x      = each.payload
  y      = latency.mean * 1e6
  series = each.backend
  x_axis {
    scale = "log2"
    label = "message size"
  }
  y_axis { label = "average latency (us)" }
}

chart "bench_qps" {
  title  = "As fast as possible: calls per second over message size"
  test   = [test.bench, test.bench_published]
  x      = each.payload
  y      = throughput.rate
  series = each.backend
  x_axis {
    scale = "log2"
    label = "message size"
  }
  y_axis { label = "calls per second" }
}

chart "fixed_latency" {
  title  = "Fixed rate: average latency over callers"
  test   = [test.fixed_rate, test.fixed_rate_published]
  x      = each.parallel
  y      = latency.mean * 1e6
  series = each.backend
  x_axis { label = "callers, at 1 kHz each" }
  y_axis { label = "average latency (us)" }
}

chart "fixed_p99" {
  title  = "Fixed rate: 99th percentile over callers"
  test   = test.fixed_rate
  x      = each.parallel
  y      = latency.p99 * 1e6
  series = each.backend
  x_axis { label = "callers, at 1 kHz each" }
  y_axis { label = "p99 (us)" }
}

chart "runs" {
  title  = "As fast as possible: each run, in the order of time"
  kind   = "runs"
  test   = test.bench
  y      = latency.mean * 1e6
  series = each.backend
  where  = each.payload == 512
  y_axis { label = "average latency (us)" }
}
