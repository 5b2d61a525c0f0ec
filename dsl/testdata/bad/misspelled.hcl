# A misspelt name is one mistake, and what follows from it is not said too.

scenario "bad" {}

backend "fast" "a" {}
backend "fast" "b" {}

metodology "quick" { # want "no block \"metodology\". Did you mean \"methodology\"?"
  measure { duration = "1s" }
}

methodology "slow" {
  warmup { durration = "1s" } # want "Did you mean \"duration\"?"
  measure { duration = "1s" }
  repeat { run = 1e9 } # want "Did you mean \"runs\"?"
}

methodology "long" {
  measure { duration = "1s" }
  repeat { runs = 1e9 } # want "1000000000 is outside of the range from 1 to 1000000"
}

backend "fast" {} # want "here is 1 label"

test "rpc" "one" {
  methodology = methodology.quick
  sweep {
    backend = [backend.a, backend.b]
    where   = each.backend != "a" # want "a reference is compared with a text, and these are never equal. Write backend.a, without quotes."
  }
}

test "rpc" "two" {
  methodology = methodology.quik # want "Did you mean \"quick\"?"
  sweep {
    backend     = [backend.a, backend.b]
    concurrency = [1, 2]
    where       = each.concurrency == "2" # want "a number is compared with a text"
  }
}

comparison "vs" {
  baseline = { backend = "a" } # want "Write backend.a, without quotes"
  value    = baseline.latency.mean / candidate.latency.mean
}

table "percentiles" {
  rows = [each.test, each.backend]
  column "a" { value = latency.p999 }   # want "Did you mean \"latency.p99_9\"?"
  column "b" { value = latency.p99.9 }  # want "Did you mean \"latency.p99_9\"?"
  column "c" { value = latency.median } # want "Did you mean \"latency.p50\"?"
  column "d" { value = latency }        # want "latency.p99"
}
