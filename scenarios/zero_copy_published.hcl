# The published test of zero copy on a robot: 4 MB messages at 100 Hz, with and
# without. The text says "almost 40 times faster"; its own two means say otherwise.
#
#   versus run scenarios/zero_copy_published.hcl

scenario "zero_copy_published" {
  title = "Zero copy, off and on, as published"
}

dataset "csv" "horizon" {
  file        = "data/horizon_zero_copy.csv"
  environment = "performance_test --reliable --keep-last --history-depth 10 -s 1 -m array4m -r 100 --max-runtime 30; machine, system and versions are not published"
  names       = { transfer = "mode" }
  units       = { avg_latency_s = "s" }
}

backend "replay" "performance_test" {
  dataset = dataset.horizon
  metrics = { "latency.mean" = column("avg_latency_s") }
}

test "replay" "array4m" {
  title        = "Array4m at 100 Hz"
  backend      = backend.performance_test
  payload      = bytes("4MiB")
  topics       = 1
  rate         = "100Hz"
  latency_kind = "one_way"
  sweep { transfer = ["copy", "zero-copy"] }
}

comparison "faster" {
  baseline  = { transfer = "copy" }
  candidate = { transfer = "zero-copy" }
  value     = baseline.latency.mean / candidate.latency.mean
  format    = "ratio"
}

table "zero_copy" {
  title = "Latency of 4 MB messages"
  rows  = [each.transfer]

  column "latency mean (ms)" { value = latency.mean * 1e3 }
  column "times as fast" { value = comparison.faster }
}

chart "latency" {
  title = "4 MB at 100 Hz: average latency"
  x     = each.transfer
  y     = latency.mean * 1e3
  y_axis { label = "average latency (ms)" }
}

# lint:ignore K04 these are the words of the published text, which is checked here
expect "almost 40 times faster" {
  condition     = comparison.faster >= 38
  error_message = "The published means give ${fixed(comparison.faster, 1)} times."
  severity      = "info"
}

expect "The claim in the text is not what its means say" {
  finding = "A23"
  where   = each.transfer == "zero-copy"
}

expect "Nothing else is wrong" {
  finding = "none"
}
