# What a replay names is looked for, and said once.

scenario "bad" {}

dataset "csv" "outside" { file = "../../../go.mod" } # want "outside of the scenario's folder"

backend "replay" "r" {
  dataset = dataset.outside
  metrics = { latency.mean = 1 } # want "As a key it needs quotes: { \"latency.mean\" = ... }"
}

test "replay" "t" {
  backend = backend.r
  sweep { system = ["a"] }
}

table "t" {
  rows = [each.system]
  column "mean (s)" { value = latency.mean }
}
