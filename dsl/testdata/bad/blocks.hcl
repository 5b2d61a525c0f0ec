scenario "blocks" {
  titel = "x" # want "Did you mean \"title\"?"
  language = 99 # want "Newer language"
}

backend "fast" "f" {
  version = "3" # want "is none of the values allowed: 1.1, 2"
}

backend "fast" "g" {
  title   = 5    # want "a text in quotes is wanted here, not the number 5"
  threads = 1.5  # want "1.5 is not a whole number"
  options {}     # want "has no block \"options\""
}

backend "fast" "h" {
  threads = 1e9 # want "outside of the range"
  broker "embeded" {} # want "Did you mean \"embedded\"?"
}

scenaro "x" {} # want "Did you mean \"scenario\"?"

methodology "m" {
  warmup = "1s" # want "\"warmup\" is a block"
  measure { # want "Write exactly one of duration, calls and messages"
    duration = "1s"
    calls    = 5
  }
  repeat {} # want "needs the argument \"runs\""
  keep { best = m / 2 } # want "Unknown name"
  order  = "shuffled" # want "is none of the values allowed"
  pause  = "5parsecs" # want "Invalid value of pause"
  drain  = -1 # want "can't be negative"
  timeout = "10ms" 
}

methodology "kept" {
  measure { duration = "1s" }
  keep {
    best = n / 2
    by   = latency.p99 # want "comes from all valid runs"
  }
}

dataset "csv" "d" {
  file = "nowhere.csv" # want "there is no such file"
}

dataset "perf_test" "p" {
  file = "nowhere.json" # want "there is no such file"
}

dataset "hdr" "h" { # want "unit"
  file = "nowhere.hlog" # want "there is no such file"
}

test "rpc" "t" { # want "No measurement"
  backend = backend.f
}

test "rpc" "u" { # want "neither a sweep nor the argument backend"
  measure { duration = "1s" }
}

lint {
  rule "R05" { severity = "off" } # want "needs the argument \"reason\""
}
