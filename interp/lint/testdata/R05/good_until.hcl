scenario "clean" {
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
  until {
    relative_interval = 0.02
    min               = 10
    max               = 20
  }
  keep { best = ceil(n / 2) }
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

comparison "vs_grpc" {
  baseline = { backend = backend.grpc }
  value    = (baseline.time_per_call - candidate.time_per_call) / candidate.time_per_call
  format   = "percent"
}

table "capacity" {
  rows = [each.backend, each.payload]

  column "time per call (us)" { value = time_per_call * 1e6 }
  column "calls/s" { value = throughput.rate }
  column "faster than gRPC by (%)" { value = comparison.vs_grpc }
}
