# No backends are compared, so that no second one could be the same.

scenario "clean" {
  title = "gRPC and HTTP"
}

host "local" "callers" { cpus = "0" }

host "local" "servers" { cpus = "1" }

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

test "rpc" "capacity" {
  title       = "One caller, no pause"
  methodology = methodology.steady
  place       = { client = host.callers, server = host.servers }
  payload     = bytes(each.payload)
  concurrency = 1

  sweep {
    backend = [backend.grpc, backend.http]
    payload = ["500B", "8KiB"]
  }
}

comparison "growth" {
  baseline = { payload = "500B" }
  value    = candidate.time_per_call / baseline.time_per_call
  format   = "ratio"
}

table "capacity" {
  rows = [each.backend, each.payload]

  column "time per call (us)" { value = time_per_call * 1e6 }
  column "times the time for 500 bytes" { value = comparison.growth }
}
