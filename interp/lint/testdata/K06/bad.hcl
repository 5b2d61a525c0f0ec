# The arithmetic mean of two ratios.

scenario "bad" {
  title = "gRPC and HTTP"
}

backend "grpc" "grpc" {}

backend "http" "http" {
  version = "1.1"
}

methodology "steady" {
  warmup { duration = "2s" }
  measure { duration = "10s" }
  repeat { runs = 10 }
  order = "random"
  seed  = 7
}

# lint:ignore E01 not what this case is about
test "rpc" "capacity" {
  title       = "One caller, no pause"
  methodology = methodology.steady
  payload     = bytes(each.payload)
  concurrency = 1

  sweep {
    backend = [backend.grpc, backend.http]
    payload = ["500B", "8KiB"]
  }
}

# lint:ignore E06 not what this case is about
comparison "per_call" {
  baseline = { backend = backend.grpc }
  value    = baseline.time_per_call / candidate.time_per_call
  format   = "ratio"
}

# lint:ignore E06 not what this case is about
comparison "latency" {
  baseline = { backend = backend.grpc }
  value    = baseline.latency.mean / candidate.latency.mean
  format   = "ratio"
}

table "capacity" {
  rows = [each.backend, each.payload]

  column "time per call (us)" { value = time_per_call * 1e6 }
  column "calls/s" { value = throughput.rate }
  column "latency mean (us)" { value = latency.mean * 1e6 }
  column "times as fast (per_call)" { value = comparison.per_call }
  column "times as fast (latency)" { value = comparison.latency }
  column "overall, times as fast" { value = mean([comparison.per_call, comparison.latency]) }
}
