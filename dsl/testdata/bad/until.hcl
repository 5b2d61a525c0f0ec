scenario "until" {}
backend "fast" "a" {}

methodology "both" {
  measure { duration = "1s" }
  repeat { runs = 6 }
  until { # want "not both"
    relative_interval = 0.02
    max               = 30
  }
}

methodology "endless" {
  measure { duration = "1s" }
  until { # want "max"
    relative_interval = 0.02
  }
}

methodology "few" {
  measure { duration = "1s" }
  until {
    relative_interval = 0.02
    min               = 5 # want "outside of the range"
    max               = 30
  }
}

test "rpc" "t" {
  methodology = methodology.few
  backend     = backend.a
}
