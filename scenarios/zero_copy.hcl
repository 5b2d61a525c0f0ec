# What zero copy is worth for messages of 4 MiB at 100 Hz over shared memory:
# latency, CPU use, memory and losses, and beside them what was published of it.
#
#   versus drivers build iceoryx
#   versus run scenarios/zero_copy.hcl
#   versus run -var quick=true scenarios/zero_copy.hcl   (half a minute)
#
# With "copy" each message is copied into the shared memory and out of it again;
# with "loan" it is made there and read there. Nobody fills or reads it beyond its
# stamp: that work is the application's, with a copy or without. The published
# figures are from a robot, through ROS 2 and its layers: they are no measure of
# iceoryx alone.

variable "quick" {
  type        = bool
  default     = false
  description = "Short runs, to see that it works."
}

scenario "zero_copy" {
  title = "Zero copy, off and on"
}

host "local" "first" {
  cpus = "0"
}

host "local" "second" {
  cpus = "1"
}

backend "iceoryx" "iceoryx" {
  queue = 10 # as published: --keep-last --history-depth 10
}

dataset "csv" "horizon" {
  file        = "data/horizon_zero_copy.csv"
  environment = "performance_test --reliable --keep-last --history-depth 10 -s 1 -m array4m -r 100 --max-runtime 30; machine, system and versions are not published"
  names       = { transfer = "mode" }
  units       = { avg_latency_s = "s" }
}

backend "replay" "performance_test" {
  title   = "ROS 2, published"
  dataset = dataset.horizon
  metrics = { "latency.mean" = column("avg_latency_s") }
}

methodology "long" {
  warmup { duration = var.quick ? "1s" : "10s" }
  measure { duration = var.quick ? "2s" : "30s" }
  repeat { runs = var.quick ? 3 : 6 }
  order = "interleaved"
}

test "pubsub" "array4m" {
  title       = "Array4m at 100 Hz"
  methodology = methodology.long
  payload     = bytes("4MiB")
  rate        = "100Hz"
  transfer    = each.transfer
  place       = { publisher = host.first, subscriber = host.second, broker = host.second }

  sweep {
    backend  = [backend.iceoryx]
    transfer = ["copy", "loan"]
  }
}

test "replay" "published" {
  title   = "Array4m at 100 Hz, as published"
  backend = backend.performance_test
  payload = bytes("4MiB")
  topics  = 1
  rate    = "100Hz"
  sweep { transfer = ["copy", "zero-copy"] }
}

comparison "faster" {
  test      = test.array4m
  baseline  = { transfer = "copy" }
  candidate = { transfer = "loan" }
  value     = baseline.latency.mean / candidate.latency.mean
  format    = "ratio"
}

comparison "published" {
  test      = test.published
  baseline  = { transfer = "copy" }
  candidate = { transfer = "zero-copy" }
  value     = baseline.latency.mean / candidate.latency.mean
  format    = "ratio"
}

table "zero_copy" {
  title = "Messages of 4 MiB at 100 Hz"
  test  = [test.array4m, test.published]
  rows  = [each.backend, each.transfer]

  column "latency mean (ms)" { value = latency.mean * 1e3 }
  column "latency p50 (ms)" { value = latency.p50 * 1e3 }
  column "latency max (ms)" { value = latency.max * 1e3 }
  column "CPU of both (cores)" { value = cpu.publisher + cpu.subscriber }
  column "maxrss (MB)" { value = memory.peak / 1e6 }
  column "sent" { value = samples.sent }
  column "received" { value = samples.received }
  column "lost" { value = samples.lost }
  column "times as fast" { value = comparison.faster }
  column "published, times as fast" { value = comparison.published }
}

chart "latency" {
  title  = "4 MiB at 100 Hz: average latency, and as published"
  test   = [test.array4m, test.published]
  x      = each.backend
  y      = latency.mean * 1e3
  series = each.transfer
  y_axis { label = "average latency (ms)" }
}

chart "latency_spectrum" {
  title  = "4 MiB at 100 Hz: what share of the messages takes how long"
  kind   = "percentiles"
  test   = test.array4m
  series = each.transfer
}

chart "cpu" {
  title  = "4 MiB at 100 Hz: CPU use of publisher and subscriber in each run"
  kind   = "strip"
  test   = test.array4m
  y      = cpu.publisher + cpu.subscriber
  series = each.transfer
  y_axis { label = "cores used by both" }
}

# lint:ignore K04 these are the words of the published text; its own two means give 27.3
expect "almost 40 times faster" {
  condition     = comparison.faster.low >= 38
  error_message = "Zero copy was ${fixed(comparison.faster, 1)} times as fast."
  severity      = "info"
}
