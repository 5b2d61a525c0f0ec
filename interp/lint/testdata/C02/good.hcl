# Times that were read from a monotonic clock.

scenario "recorded" {}

dataset "csv" "recorded" {
  file        = "times.csv"
  clock       = "monotonic"
  environment = "a computer of the year 2005"
}

backend "replay" "old" {
  dataset = dataset.recorded
  metrics = { time_per_call = column("time_s") }
}

backend "replay" "new" {
  dataset = dataset.recorded
  metrics = { time_per_call = column("time_s") }
}

test "replay" "recorded" {
  repeat { runs = 6 }
  sweep { backend = [backend.old, backend.new] }
}

comparison "faster" {
  baseline = { backend = backend.old }
  value    = baseline.time_per_call / candidate.time_per_call
  format   = "ratio"
}

table "recorded" {
  rows = [each.backend]

  column "time per call (us)" { value = time_per_call * 1e6 }
  column "times as fast" { value = comparison.faster }
}
