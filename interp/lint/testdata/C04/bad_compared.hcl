# One way against a round trip.

scenario "bad_compared" {
  title = "MQTT, QoS 0 and 1"
}

host "local" "callers" { cpus = "0" }

host "local" "servers" { cpus = "1" }

host "local" "brokers" { cpus = "2" }

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

test "rpc" "latency" {
  title       = "1,000 calls a second"
  methodology = methodology.steady
  place       = { client = host.callers, server = host.servers, broker = host.brokers }
  payload     = bytes("500B")
  rate        = "1kHz"

  sweep {
    backend = [backend.qos0, backend.qos0_again, backend.qos1]
  }
}

test "pubsub" "topics" {
  title       = "1,000 messages a second"
  methodology = methodology.steady
  place       = { publisher = host.callers, subscriber = host.servers, broker = host.brokers }
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
  test = test.topics
  rows = [each.backend]

  column "p50 one way (us)" { value = latency.p50 * 1e6 }
  column "p99 one way (us)" { value = latency.p99 * 1e6 }
  column "p99, times that of QoS 0" { value = comparison.tail }
  column "lost (%)" { value = loss.rate * 100 }
}

comparison "publishing" {
  title    = "mean, times a call's"
  baseline = { test = test.latency }
  across   = ["concurrency", "topics", "in_flight", "call"]
  value    = candidate.latency.mean / baseline.latency.mean
  format   = "ratio"
}

table "kinds" {
  rows = [each.test, each.backend]

  column "calls (1/s)" { value = throughput.rate }
  column "mean, times a call's" { value = comparison.publishing }
}
