# The round trip from one machine to another.

scenario "good" {
  title = "gRPC and HTTP"
}

host "ssh" "near" {
  address = "near"
  listen  = "192.0.2.7"
  cpus    = "0-3"
}

host "ssh" "far" {
  address = "far"
  listen  = "192.0.2.7"
  cpus    = "0-3"
}

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

test "rpc" "latency" {
  title       = "1,000 calls a second"
  methodology = methodology.steady
  place       = { client = host.near, server = host.far }
  payload     = bytes("500B")
  rate        = "1kHz"

  sweep {
    backend = [backend.grpc, backend.grpc_again, backend.http]
  }
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
