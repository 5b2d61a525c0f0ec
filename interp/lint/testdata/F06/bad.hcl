scenario "mqtt" {
  title = "MQTT, at two levels of service"
}

host "local" "callers" { cpus = "0" }

host "local" "servers" { cpus = "1" }

backend "mqtt" "light" {
  qos = 0
}

# The baseline again: how far apart two measurements of one system come out.
backend "mqtt" "light_again" {
  qos = 0
}

backend "mqtt" "sure" {
  qos = 2
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
  place       = { client = host.callers, server = host.servers, broker = host.servers }
  payload     = bytes(each.payload)
  concurrency = 1

  sweep {
    backend = [backend.light, backend.light_again, backend.sure]
    payload = ["500B", "8KiB"]
  }
}

comparison "vs_light" {
  baseline = { backend = backend.light }
  value    = (baseline.time_per_call - candidate.time_per_call) / candidate.time_per_call
  format   = "percent"
}

table "capacity" {
  rows = [each.backend, each.payload]

  column "time per call (us)" { value = time_per_call * 1e6 }
  column "calls/s" { value = throughput.rate }
  column "faster than QoS 0 by (%)" { value = comparison.vs_light }
}
