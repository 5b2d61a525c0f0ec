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
  repeat { runs = 6 }
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
comparison "vs_grpc" {
  baseline = { backend = backend.grpc }
  value    = (baseline.time_per_call - candidate.time_per_call) / candidate.time_per_call
  format   = "percent"
  confidence = 0.99
}

table "capacity" {
  rows = [each.backend, each.payload]

  column "time per call (us)" { value = time_per_call * 1e6 }
  column "calls/s" { value = throughput.rate }
  column "faster than gRPC by (%)" { value = comparison.vs_grpc }
}
