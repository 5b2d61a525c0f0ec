# One-way latency from one machine to another.

scenario "bad" {
  title = "MQTT, QoS 0 and 1"
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

backend "mqtt" "qos0" {
  broker "embedded" {}
}

# The baseline again: how far apart two measurements of one system come out.
backend "mqtt" "qos0_again" {
  broker "embedded" {}
}

backend "mqtt" "qos1" {
  qos = 1
  broker "embedded" {}
}

methodology "steady" {
  warmup { duration = "2s" }
  measure { duration = "10s" }
  repeat { runs = 10 }
  order = "random"
  seed  = 7
}

test "pubsub" "topics" {
  title       = "1,000 messages a second"
  methodology = methodology.steady
  place       = { publisher = host.near, subscriber = host.far, broker = host.far }
  payload     = bytes("500B")
  rate        = "1kHz"

  sweep {
    backend = [backend.qos0, backend.qos0_again, backend.qos1]
  }
}

comparison "tail" {
  title    = "p99, times that of QoS 0"
  baseline = { backend = backend.qos0 }
  across   = ["qos"] # what is compared
  value    = candidate.latency.p99 / baseline.latency.p99
  format   = "ratio"
}

table "latency" {
  rows = [each.backend]

  column "p50 one way (us)" { value = latency.p50 * 1e6 }
  column "p99 one way (us)" { value = latency.p99 * 1e6 }
  column "p99, times that of QoS 0" { value = comparison.tail }
  column "lost (%)" { value = loss.rate * 100 }
}
