# Methodologies by name. Import them with
#
#   import "std/methodologies.hcl" {}
#
# and write, in a test or in defaults: methodology = methodology.best_half

# A first look, in seconds: enough runs for an interval, too short for a claim.
methodology "quick" {
  warmup { duration = "200ms" }
  measure { duration = "500ms" }
  repeat { runs = 6 }
  order = "interleaved"
}

# The rule of ZeroC's comparison of Ice and TAO (2005): each cell is measured
# ten times and the mean of the best half counts, so that other activity of the
# operating system does not. It flatters noisy systems; read the median of all
# runs beside it.
methodology "best_half" {
  warmup { calls = 1 } # the first call connects, and is not latency
  measure { calls = 100000 }
  repeat { runs = 10 }
  keep {
    best = n / 2
    by   = time_per_call
  }
  order = "interleaved"
}

# For claims: a warm-up that lets connections, caches and the scheduler settle,
# ten runs that all count, in a random order so that drift of the machine hits
# every backend alike.
methodology "steady" {
  warmup { duration = "2s" }
  measure { duration = "10s" }
  repeat { runs = 10 }
  order = "random"
  seed  = 1
}

# For tails: runs long enough that p99.9 rests on many samples. At 1,000 calls a
# second each run has 60 above it.
methodology "tail" {
  warmup { duration = "5s" }
  measure { duration = "60s" }
  repeat { runs = 6 }
  order = "random"
  seed  = 1
}
