# Publish/subscribe between two processes on one host, as AimRT measures it: latency
# over the size of messages and over the number of topics, at 1 kHz a topic; beside
# it what AimRT has published of its backends.
#
#   versus run scenarios/aimrt_channel.hcl
#   versus run -var quick=true scenarios/aimrt_channel.hcl   (half a minute)
#
# AimRT's figures are from another machine, with 16 CPUs, and of its own runtime on
# these systems; "ros2" there is rclcpp with its executor, which neither "ROS 2 (rcl)"
# here has nor DDS. iceoryx, ros2, dds and zenoh have workers of their own: `versus
# drivers build` builds them. ROS 2 is not in Debian; `versus drivers` says how to get it.

variable "quick" {
  type        = bool
  default     = false
  description = "Short runs of fewer cells: to see that it works; versus lint says what that costs."
}

variable "cpus" {
  type        = list(string)
  default     = ["0", "1"]
  description = "Where the publisher runs, and where the subscriber and the broker."
}

scenario "aimrt_channel" {
  title = "Channel backends"
}

host "local" "publisher" { cpus = var.cpus[0] }
host "local" "subscriber" { cpus = var.cpus[1] }

backend "iceoryx" "iceoryx" {}

backend "ros2" "ros2" { title = "ROS 2 (rcl, no rclcpp executor)" }

backend "dds" "dds" {
  title      = "DDS (ROS 2 wire, no executor)"
  vendor     = "cyclonedds"
  convention = "ros2" # names, types and QoS as a ROS 2 node has them
}

backend "zenoh" "zenoh" {}

backend "mqtt" "mqtt" {
  qos = 0
  broker "mosquitto" {}
}

dataset "csv" "published" {
  file        = "data/aimrt_channel_single_host.csv"
  environment = "Intel Core i5-1350P with 16 CPUs, GNU/Linux, x86_64; kernel, versions and flags are not published"
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
  live      = [backend.iceoryx, backend.ros2, backend.dds, backend.zenoh, backend.mqtt]
  published = [backend.iceoryx_published, backend.ros2_published, backend.zenoh_published]
  payloads  = var.quick ? [1024] : [512, 1024, 2048, 8192]
  topics    = var.quick ? [1, 4] : [1, 4, 8]
}

backend "replay" "iceoryx_published" {
  title   = "iceoryx, published"
  dataset = dataset.published
  where   = { backend = "iceoryx" }
  metrics = local.columns
}

backend "replay" "ros2_published" {
  title   = "ros2, published"
  dataset = dataset.published
  where   = { backend = "ros2" }
  metrics = local.columns
}

backend "replay" "zenoh_published" {
  title   = "zenoh, published"
  dataset = dataset.published
  where   = { backend = "zenoh" }
  metrics = local.columns
}

methodology "channel" {
  warmup { duration = var.quick ? "300ms" : "1s" }
  measure { duration = var.quick ? "500ms" : "10s" }
  repeat { runs = var.quick ? 2 : 6 }
  order = "random"
  seed  = 1
}

test "pubsub" "channel" {
  title       = "Channel"
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
  title   = "Channel, published"
  payload = bytes(each.payload)
  topics  = each.topics
  rate    = "1kHz" # of each topic

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

table "channel" {
  title = "Channel backends, and as published"
  test  = [test.channel, test.published]
  rows  = [each.payload, each.topics, each.backend]

  column "Avg Latency (us)" { value = latency.mean * 1e6 }
  column "sd (us)" { value = latency.stddev * 1e6 }
  column "Max Latency (us)" { value = latency.max * 1e6 }
  column "messages" { value = samples.received }
  column "Achieved/offered" { value = rate.achieved / rate.offered }
  column "Loss Rate (%)" { value = loss.rate * 100 }
  column "Avg CPU Usage (%)" { value = "${fixed(cpu.publisher * 100, 1)}/${fixed(cpu.subscriber * 100, 1)}" }
}

chart "latency_vs_size" {
  title  = "Average latency over message size"
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

chart "latency_vs_topics" {
  title  = "Average latency over topics"
  test   = [test.channel, test.published]
  x      = each.topics
  y      = latency.mean * 1e6
  series = each.backend
  where  = each.payload == 1024
  x_axis { label = "topics, at 1 kHz each" }
  y_axis { label = "average latency (us)" }
}

chart "p99_vs_size" {
  title  = "99th percentile over message size"
  test   = test.channel
  x      = each.payload
  y      = latency.p99 * 1e6
  series = each.backend
  where  = each.topics == 1
  x_axis {
    scale = "log2"
    label = "message size"
  }
  y_axis { label = "p99 (us)" }
}

chart "latency_spectrum" {
  title  = "1 KiB, one topic: what share of the messages takes how long"
  kind   = "percentiles"
  test   = test.channel
  series = each.backend
  where  = each.payload == 1024 && each.topics == 1
}

chart "loss_vs_topics" {
  title  = "Lost messages over topics"
  test   = test.channel
  x      = each.topics
  y      = loss.rate * 100
  series = each.backend
  where  = each.payload == 1024
  x_axis { label = "topics, at 1 kHz each" }
  y_axis { label = "lost messages (%)" }
}
