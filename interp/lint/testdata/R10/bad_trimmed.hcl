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
  repeat { runs = 10 }
  keep { trimmed = 0.2 }
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
  baseline = { test = test.capacity, backend = backend.grpc }
  candidate = { test = test.more, backend = [backend.grpc_again, backend.http] }
  value    = (baseline.time_per_call - candidate.time_per_call) / candidate.time_per_call
  format   = "percent"
  across   = ["methodology"]
}

table "capacity" {
  rows = [each.test, each.backend, each.payload]

  column "time per call (us)" { value = time_per_call * 1e6 }
  column "calls/s" { value = throughput.rate }
  column "faster than gRPC by (%)" { value = comparison.vs_grpc }
}

methodology "long" {
  warmup { duration = "5s" }
  measure { duration = "10s" }
  repeat { runs = 20 }
  keep { trimmed = 0.2 }
  order = "random"
  seed  = 7
}

test "rpc" "more" {
  methodology = methodology.long # more of it
  place       = { client = host.callers, server = host.servers }
  payload     = bytes(each.payload)
  concurrency = 1

  sweep {
    backend = [backend.grpc, backend.grpc_again, backend.http]
    payload = ["500B", "8KiB"]
  }
}
