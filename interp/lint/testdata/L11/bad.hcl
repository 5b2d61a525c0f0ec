# Half a second, with percentiles.

scenario "bad" {
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
  measure { duration = "500ms" } # a first look
  repeat { runs = 10 }
  order = "random"
  seed  = 7
}

test "rpc" "latency" {
  title       = "5,000 calls a second"
  methodology = methodology.steady
  place       = { client = host.callers, server = host.servers }
  payload     = bytes("500B")
  rate        = "5kHz"

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
