# 34 kbit/s over a link of 56 kbit/s.

scenario "good" {
  title = "gRPC and HTTP over a modem"
}

host "netns" "near" {
  cpus    = "0"
  require = { governor = "performance" }
}

host "netns" "far" {
  cpus    = "1"
  require = { governor = "performance" }
}

link "modem" {
  between = [host.near, host.far]
  rate    = "56kbit/s"
}

backend "grpc" "grpc" {}

# The baseline again: how far apart two measurements of one system come out.
backend "grpc" "grpc_again" {}

backend "http" "http" {
  version = "1.1"
}

methodology "steady" {
  warmup { duration = "300s" }
  measure { duration = "1000s" }
  repeat { runs = 10 }
  order = "random"
  seed  = 7
}

test "rpc" "document" {
  title       = "Four documents a second"
  methodology = methodology.steady
  place       = { client = host.near, server = host.far }
  payload     = bytes(1000)
  rate        = "4/s"
  capacity    = "1kHz"

  sweep {
    backend = [backend.grpc, backend.grpc_again, backend.http]
  }
}

comparison "median" {
  title    = "p50, times gRPC's"
  baseline = { backend = backend.grpc }
  value    = candidate.latency.p50 / baseline.latency.p50
  format   = "ratio"
}

table "document" {
  rows = [each.backend]

  column "p50 (ms)" { value = latency.p50 * 1e3 }
  column "p50, times gRPC's" { value = comparison.median }
  column "failed (%)" { value = errors.rate * 100 }
}
