# AimRT's published cost of one log call over the size of the line, recomputed, as a
# multiple of the cost of the shortest line.
#
#   versus run scenarios/aimrt_logger_published.hcl

scenario "aimrt_logger_published" {
  title = "AimRT logger, as published"
}

dataset "csv" "logger" {
  file        = "data/aimrt_logger.csv"
  environment = "Intel Core i5-1350P with 16 CPUs, GNU/Linux, x86_64; kernel, versions and flags are not published"
  names       = { size = "log_size_bytes" }
  units       = { avg_latency_ns = "ns" }
}

backend "replay" "aimrt" {
  title   = "AimRT"
  dataset = dataset.logger
  metrics = { "latency.mean" = column("avg_latency_ns") }
}

test "replay" "logger" {
  backend      = backend.aimrt
  payload      = bytes(each.size)
  latency_kind = "log_call"
  sweep { size = distinct(dataset.logger, "size") }
}

comparison "vs_shortest" {
  baseline = { size = 32 }
  value    = candidate.latency.mean / baseline.latency.mean
  format   = "ratio"
}

table "logger" {
  title = "Average latency over line size (bytes)"
  rows  = [each.size]

  column "Avg Latency (ns)" { value = latency.mean * 1e9 }
  column "times the shortest" { value = comparison.vs_shortest }
}

chart "latency_over_size" {
  title = "Average latency of one log call over line size"
  x     = each.size
  y     = latency.mean * 1e9
  x_axis {
    scale = "log2"
    label = "line size (bytes)"
  }
  y_axis { label = "average latency (ns)" }
}

expect "The line of 64 B is a peak between its neighbours" {
  finding = "A12"
  where   = each.size == 64
}

expect "Nothing is impossible" {
  finding = "none"
}
