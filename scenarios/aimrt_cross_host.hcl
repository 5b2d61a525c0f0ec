# Publish/subscribe between two hosts, as in AimRT's second table of channel backends:
# latency over the size of messages and over the number of topics, at 1 kHz a topic;
# beside it what AimRT has published.
#
#   versus run scenarios/aimrt_cross_host.hcl
#   versus run -var quick=true scenarios/aimrt_cross_host.hcl   (under a minute)
#
# AimRT has published mqtt and zenoh between hosts. ros2, dds and zenoh have workers of
# their own: `versus drivers build` builds them. ROS 2 is not in Debian; `versus drivers`
# says how to get it.
#
# The hosts are network namespaces of this machine, which need root, with a link between
# them. AimRT has not published what its network was; its latencies, up to seconds where
# 65 Mbit/s were due, look like a wireless one that could not carry them. The link here is
# late, but not slow: for a slow one, give it a rate (docs/links.md). For two real machines,
# make the hosts of kind "ssh", each with the address at which the other reaches it, and drop
# the link (docs/hosts.md). The namespaces have one clock; of real machines the report says
# how well theirs agree.

variable "quick" {
  type        = bool
  default     = false
  description = "Short runs of fewer cells: to see that it works; versus lint says what that costs."
}

variable "delay" {
  type        = string
  default     = "2ms"
  description = "How long it takes, each way."
}

scenario "aimrt_cross_host" {
  title = "Channel backends between two hosts"
}

host "netns" "publisher" { cpus = "0" }
host "netns" "subscriber" { cpus = "1" }

link "network" {
  between = [host.publisher, host.subscriber]
  delay   = var.delay
}

backend "zenoh" "zenoh" {}

backend "mqtt" "mqtt" {
  qos = 0
  broker "mosquitto" {}
}

backend "ros2" "ros2" { title = "ROS 2 (rcl, no rclcpp executor)" }

backend "dds" "dds" {
  title      = "DDS (ROS 2 wire, no executor)"
  vendor     = "cyclonedds"
  convention = "ros2" # names, types and QoS as a ROS 2 node has them
}

dataset "csv" "published" {
  file        = "data/aimrt_channel_cross_host.csv"
  environment = "two hosts, each an Intel Core i5-1350P with 16 CPUs, GNU/Linux, x86_64; network, kernel, versions and flags are not published"
  clock       = "realtime" # lint:ignore C02 the numbers are those published, whatever they are worth
  names       = { payload = "payload_bytes" }
  units = {
    avg_latency_us    = "us"
    max_latency_us    = "us"
    loss_rate_percent = "percent"
  }
}

locals {
  columns = {
    "latency.mean" = column("avg_latency_us")
    "latency.max"  = column("max_latency_us")
    "loss.rate"    = column("loss_rate_percent")
  }
  live      = [backend.mqtt, backend.zenoh, backend.ros2, backend.dds]
  published = [backend.mqtt_published, backend.zenoh_published]
  payloads  = var.quick ? [1024] : [512, 1024, 2048, 8192]
  topics    = var.quick ? [1, 4] : [1, 4, 8]
}

backend "replay" "mqtt_published" {
  title   = "mqtt, published"
  dataset = dataset.published
  where   = { backend = "mqtt" }
  metrics = local.columns
}

backend "replay" "zenoh_published" {
  title   = "zenoh, published"
  dataset = dataset.published
  where   = { backend = "zenoh" }
  metrics = local.columns
}

methodology "channel" {
  warmup { duration = var.quick ? "300ms" : "2s" }
  measure { duration = var.quick ? "500ms" : "10s" }
  repeat { runs = var.quick ? 2 : 6 }
  order       = "random"
  noise_floor = true
  seed        = 1
}

test "pubsub" "channel" {
  title       = "Channel, each topic at 1 kHz"
  methodology = methodology.channel
  host        = host.subscriber
  place       = { publisher = host.publisher }
  payload     = bytes(each.payload)
  topics      = each.topics
  rate        = "1kHz" # of each topic

  sweep "by_size" {
    backend = local.live
    payload = local.payloads
    topics  = [1]
  }

  sweep "by_topics" { # the two sweeps share the cells that they have in common
    backend = local.live
    payload = [1024]
    topics  = local.topics
  }
}

test "replay" "published" {
  title        = "Channel, published"
  payload      = bytes(each.payload)
  topics       = each.topics
  rate         = "1kHz" # of each topic
  latency_kind = "one_way"

  repeat { runs = 1 }

  sweep "by_size" {
    backend = local.published
    payload = local.payloads
    topics  = [1]
  }

  sweep "by_topics" {
    backend = local.published
    payload = [1024]
    topics  = local.topics
  }
}

# A positive figure f means that the candidate is 1 + f times as fast as mqtt.
comparison "vs_mqtt" {
  title    = "faster than mqtt by"
  baseline = { backend = backend.mqtt }
  value    = (baseline.latency.mean - candidate.latency.mean) / candidate.latency.mean
  format   = "percent"
  test     = test.channel
  across   = ["qos"] # what each of them does by default
}

comparison "vs_mqtt_published" {
  title    = "faster than mqtt by, published"
  baseline = { backend = backend.mqtt_published }
  value    = (baseline.latency.mean - candidate.latency.mean) / candidate.latency.mean
  format   = "percent"
  test     = test.published
}

table "channel" {
  title = "Two hosts, and as published"
  test  = [test.channel, test.published]
  rows  = [each.payload, each.topics, each.backend]

  column "Avg Latency (us)" { value = latency.mean * 1e6 }
  column "Max Latency (us)" { value = latency.max * 1e6 }
  column "Loss Rate (%)" { value = loss.rate * 100 }
  column "faster than mqtt by" { value = comparison.vs_mqtt }
  column "published" { value = comparison.vs_mqtt_published }
}

chart "latency_vs_size" {
  title  = "Two hosts, one topic: average latency over message size"
  test   = [test.channel, test.published]
  x      = each.payload
  y      = latency.mean * 1e6
  series = each.backend
  where  = each.topics == 1
  x_axis {
    scale = "log2"
    label = "message size"
  }
  y_axis { label = "average latency (us)" }
}
