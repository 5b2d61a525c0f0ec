scenario "keep" {}
backend "fast" "a" {}

methodology "both" {
  measure { duration = "1s" }
  keep { # want "exactly one of best and trimmed"
    best    = n / 2
    trimmed = 0.1
  }
}

methodology "neither" {
  measure { duration = "1s" }
  keep { # want "exactly one of best and trimmed"
    by = time_per_call
  }
}

methodology "half" {
  measure { duration = "1s" }
  keep { trimmed = 0.5 } # want "outside of the range from 0 to 0.49"
}

test "rpc" "t" {
  methodology = methodology.both
  backend     = backend.a
}
