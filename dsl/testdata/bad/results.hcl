scenario "results" {}

backend "fast" "a" {}
backend "fast" "b" {}

defaults {
  measure { duration = "1s" }
}

test "rpc" "t" {
  payload = bytes(each.size)
  sweep {
    backend = [backend.a, backend.b]
    size    = [512, 1024]
  }
}

comparison "hyphen" {
  baseline = { backend = backend.a }
  value    = (baseline-candidate)/candidate # want "Subtraction without spaces"
}

comparison "sideless" {
  baseline = { backend = backend.a }
  value    = latency.mean # want "Write baseline.latency.mean or candidate.latency.mean"
}

comparison "onesided" {
  baseline = { backend = backend.a }
  value    = candidate.latency.mean # want "needs baseline.METRIC and candidate.METRIC"
}

comparison "misspelled" {
  baseline = { backnd = backend.a } # want "Did you mean \"backend\"?"
  value    = baseline.latency.men / candidate.latency.mean # want "Did you mean \"latency.mean\"?"
}

comparison "nocell" {
  baseline  = { size = 2048 } # want "No cell has size = 2048"
  value     = baseline.latency.mean / candidate.latency.mean
  across    = ["weather"] # want "Nothing is called "weather" that two sides can differ in"
  confidence = 95 # want "outside of the range"
}

table "t" {
  rows = [each.backend, each.sise] # want "Did you mean \"size\"?"
  column "a" { value = latency.p999999 } # want "There is no metric"
  column "b" { value = comparison.nothing } # want "There is no comparison \"nothing\""
  column "c" { value = comparison.nocell.lower } # want "Unknown part of a comparison"
  column "d" { value = loss.rate } # want "messages are lost in pubsub tests"
  column "e" { value = rate.offered } # want "give the test a rate"
  column "f" { value = quantile(latency, 1.5) } # want "Write a number above 0 and up to 1"
  column "g" { value = throughput } # want "There is no metric \"throughput\""
  column "h" { value = cpu.sever } # want "Did you mean \"cpu.server\"?"
  column "i" { value = n } # want "is known only in keep"
  column "j" { value = baseline.latency.mean } # want "known only in the value of a comparison"
  column "k" { value = "a" * latency.mean } # want "Invalid operand"
}

table "empty" { # want "needs column blocks, or columns and cell"
  rows = [each.backend]
}

table "half" { # want "columns and cell belong together"
  rows = [each.backend]
  cell = latency.mean
}

expect "a number" {
  condition = latency.mean # want "A condition is true or false"
}

chart "c" {
  x = each.size
  y = latency.mean
}

chart "c" { # want "There is already a chart"
  x = each.size
  y = latency.mean
}

chart "no_x" { # want "needs the argument \"x\""
  y = latency.mean
}

chart "whole" {
  kind = "percentiles"
  y    = latency.p99 # want "write y = latency, or y = service_time"
}

chart "compared" {
  kind = "speedup"
  y    = latency.mean # want "write y = comparison.NAME"
}

chart "idle" {
  kind  = "runs"
  y     = latency.mean
  value = latency.max # want "has no argument \"value\""
}

chart "scaled" {
  kind = "ecdf"
  y_axis { scale = "log10" } # want "given by the kind"
}

chart "pie" {
  kind = "pie" # want "kind"
}

chart "marked" {
  kind = "runs"
  y    = latency.mean
  x_axis {
    mark "round" { at = 3 } # want "no marks on this axis"
  }
  y_axis {
    mark "deadline" { at = true } # want "A mark is at a number"
    mark "size" { at = "64 miles" } # want "Invalid value of at"
  }
}

chart "apart" {
  kind   = "pairs"
  y      = comparison.none # want "comparison"
  series = each.size
}
