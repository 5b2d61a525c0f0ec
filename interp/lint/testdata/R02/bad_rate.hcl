scenario "clean" {
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
  rate        = "100Hz"

  sweep {
    backend = [backend.grpc, backend.http]
    payload = ["500B", "8KiB"]
  }
}

# lint:ignore E06 not what this case is about
comparison "vs_grpc" {
  baseline = { backend = backend.grpc }
  value    = (baseline.latency.mean - candidate.latency.mean) / candidate.latency.mean
  format   = "percent"
}

table "capacity" {
  rows = [each.backend, each.payload]

  column "latency mean (us)" { value = latency.mean * 1e6 }
  column "calls/s" { value = throughput.rate }
  column "faster than gRPC by (%)" { value = comparison.vs_grpc }
}
