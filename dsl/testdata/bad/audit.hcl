# Gates, and expectations about the audit.

scenario "audit" {}
backend "fast" "a" {}
methodology "m" {
  measure { duration = "1s" }
  gate {} # want "A gate needs a limit"
}
methodology "n" {
  measure { duration = "1s" }
  gate {
    rate_error = 2     # want "rate_error"
    negative   = -1    # want "negative"
    fallback   = "udp" # want "fallback"
  }
}
test "rpc" "t" {
  backend     = backend.a
  methodology = methodology.m
}
expect "nothing is asked" {} # want "Write a condition, or the finding"
expect "two things are asked" { # want "Write a condition, or the finding"
  condition = latency.mean < 1
  finding   = "A01"
}
expect "no such check" {
  finding = "A26" # want "A26"
}
expect "where without meaning" {
  finding = "none"
  where   = each.backend == backend.a # want "no argument"
}
expect "message without meaning" {
  finding       = "A01"
  error_message = "?" # want "no argument"
}
expect "an unknown axis" {
  finding = "A01"
  where   = each.size == 1 # want "size"
}
