# AimRT's two published tables of channel backends (publish and subscribe, 1 kHz a
# topic), recomputed. Each row was measured once, so that no interval is possible.
#
#   versus run scenarios/aimrt_channel_published.hcl

scenario "aimrt_channel_published" {
  title = "AimRT channel backends, as published"
}

dataset "csv" "single_host" {
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

dataset "csv" "cross_host" {
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
}

backend "replay" "iceoryx" {
  dataset = dataset.single_host
  metrics = local.columns
}

backend "replay" "ros2" {
  dataset = dataset.single_host
  metrics = local.columns
}

backend "replay" "zenoh" {
  dataset = dataset.single_host
  metrics = local.columns
}

backend "replay" "mqtt_cross" {
  title   = "mqtt"
  dataset = dataset.cross_host
  where   = { backend = "mqtt" }
  metrics = local.columns
}

backend "replay" "zenoh_cross" {
  title   = "zenoh"
  dataset = dataset.cross_host
  where   = { backend = "zenoh" }
  metrics = local.columns
}

test "replay" "single_host" {
  title        = "One host"
  payload      = bytes(each.payload)
  topics       = each.topics
  rate         = "1kHz" # of each topic
  latency_kind = "one_way"

  sweep "by_size" {
    backend = [backend.iceoryx, backend.ros2, backend.zenoh]
    payload = [512, 1024, 2048, 8192]
    topics  = [1]
  }

  sweep "by_topics" {
    backend = [backend.iceoryx, backend.ros2, backend.zenoh]
    payload = [1024]
    topics  = [1, 4, 8]
  }
}

test "replay" "cross_host" {
  title        = "Two hosts"
  payload      = bytes(each.payload)
  topics       = each.topics
  rate         = "1kHz" # of each topic
  latency_kind = "one_way"

  sweep "by_size" {
    backend = [backend.mqtt_cross, backend.zenoh_cross]
    payload = [512, 1024, 2048, 8192]
    topics  = [1]
  }

  sweep "by_topics" {
    backend = [backend.mqtt_cross, backend.zenoh_cross]
    payload = [1024]
    topics  = [1, 4, 8]
  }
}

# How many times iceoryx's latency another backend has.
comparison "times_iceoryx" {
  baseline = { backend = backend.iceoryx }
  value    = candidate.latency.mean / baseline.latency.mean
  format   = "ratio"
  test     = test.single_host
}

# A positive figure f means that zenoh is 1 + f times as fast as mqtt.
comparison "zenoh_vs_mqtt" {
  baseline  = { backend = backend.mqtt_cross }
  candidate = { backend = backend.zenoh_cross }
  value     = (baseline.latency.mean - candidate.latency.mean) / candidate.latency.mean
  format    = "percent"
  test      = test.cross_host
}

table "single_host" {
  title = "One host: latency, and how many times iceoryx's it is"
  test  = test.single_host
  rows  = [each.payload, each.topics, each.backend]

  column "Avg Latency (us)" { value = latency.mean * 1e6 }
  column "Max Latency (us)" { value = latency.max * 1e6 }
  column "Loss Rate (%)" { value = loss.rate * 100 }
  column "times iceoryx" { value = comparison.times_iceoryx }
}

table "over_sizes" {
  title = "One host, one topic: geometric mean over the four sizes"
  test  = test.single_host
  rows  = [each.backend]
  where = each.topics == 1

  column "times iceoryx" {
    value  = geomean(comparison.times_iceoryx)
    digits = 4
  }
}

table "cross_host" {
  title = "Two hosts: zenoh against mqtt"
  test  = test.cross_host
  rows  = [each.payload, each.topics, each.backend]

  column "Avg Latency (us)" { value = latency.mean * 1e6 }
  column "Max Latency (us)" { value = latency.max * 1e6 }
  column "Loss Rate (%)" { value = loss.rate * 100 }
  column "zenoh faster by" { value = comparison.zenoh_vs_mqtt }
}

# The two charts of the published report, and the ratios to iceoryx as a map.
chart "single_host_latency_over_size" {
  title  = "One host, one topic: average latency over message size"
  test   = test.single_host
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

chart "single_host_latency_over_topics" {
  title  = "One host, 1 KiB: average latency over topics"
  test   = test.single_host
  x      = each.topics
  y      = latency.mean * 1e6
  series = each.backend
  where  = each.payload == 1024
  x_axis { label = "topics, at 1 kHz each" }
  y_axis { label = "average latency (us)" }
}

chart "single_host_times_iceoryx" {
  title = "One host, one topic: times iceoryx's average latency"
  kind  = "heatmap"
  test  = test.single_host
  x     = each.payload
  y     = each.backend
  value = comparison.times_iceoryx
  where = each.topics == 1 && each.backend != backend.iceoryx
  x_axis { label = "message size" }
}

chart "cross_host_latency_over_size" {
  title  = "Two hosts, one topic: average latency over message size"
  test   = test.cross_host
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

chart "cross_host_latency_over_topics" {
  title  = "Two hosts, 1 KiB: average latency over topics"
  test   = test.cross_host
  x      = each.topics
  y      = latency.mean * 1e6
  series = each.backend
  where  = each.payload == 1024
  x_axis { label = "topics, at 1 kHz each" }
  y_axis { label = "average latency (us)" }
}

# What `versus audit` finds in these tables: known, so that only something new
# fails.

expect "The row of ros2 at 2048 B repeats that at 512 B" {
  finding = "A04"
  test    = test.single_host
  where   = each.backend == backend.ros2 && each.topics == 1 && (each.payload == 512 || each.payload == 2048)
}

expect "The longest latency of mqtt is where 32 bits of nanoseconds end" {
  finding = "A09"
  test    = test.cross_host
  where   = each.backend == backend.mqtt_cross && (each.topics == 8 || each.payload == 8192)
}

expect "At 65.5 Mbit/s messages of mqtt stand in a queue of seconds" {
  finding = "A15"
  test    = test.cross_host
  where   = each.backend == backend.mqtt_cross && (each.topics == 8 || each.payload == 8192)
}

expect "Both backends break at 65.5 Mbit/s, with 1 x 8192 B and with 8 x 1024 B" {
  finding = "A18"
  test    = test.cross_host
  where   = each.topics == 8 || each.payload == 8192
}

expect "zenoh is slower with 4 topics than with 8" {
  finding = "A11"
  test    = test.single_host
  where   = each.backend == backend.zenoh && each.topics > 1
}

expect "Nothing else is wrong" {
  finding = "none"
}
