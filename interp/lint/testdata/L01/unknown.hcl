# Which cells the last table shows, the results decide.

scenario "unknown" {
  title = "gRPC and HTTP"
}

host "local" "callers" { cpus = "0" }

host "local" "servers" { cpus = "1" }

backend "grpc" "grpc" {}

# The baseline again: how far apart two measurements of one system come out.
backend "grpc" "grpc_again" {}

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
    backend = [backend.grpc, backend.grpc_again, backend.http]
    payload = ["500B", "8KiB"]
  }
}

test "rpc" "latency" {
  title       = "1,000 calls a second"
  methodology = methodology.steady
  place       = { client = host.callers, server = host.servers }
  payload     = bytes("500B")
  rate        = "1kHz"

  sweep {
    backend = [backend.grpc, backend.grpc_again, backend.http]
  }
}

comparison "vs_grpc" {
  baseline = { backend = backend.grpc }
  value    = (baseline.time_per_call - candidate.time_per_call) / candidate.time_per_call
  format   = "percent"
}

comparison "tail" {
  title    = "p99, times gRPC's"
  baseline = { backend = backend.grpc }
  value    = candidate.latency.p99 / baseline.latency.p99
  format   = "ratio"
}

table "latency" {
  test = test.latency
  rows = [each.backend]

  column "p50 (us)" { value = latency.p50 * 1e6 }
  column "p99 (us)" { value = latency.p99 * 1e6 }
  column "p99, times gRPC's" { value = comparison.tail }
  column "failed (%)" { value = errors.rate * 100 }
}

table "capacity" {
  test = test.capacity
  rows = [each.backend, each.payload]

  column "time per call (us)" { value = time_per_call * 1e6 }
  column "calls/s" { value = throughput.rate }
  column "faster than gRPC by (%)" { value = comparison.vs_grpc }
}

table "slow" {
  rows  = [each.test, each.backend, each.payload]
  where = latency.p50 > 0.001

  column "p90 (us)" { value = latency.p90 * 1e6 }
  column "p50 (us)" { value = latency.p50 * 1e6 }
}
