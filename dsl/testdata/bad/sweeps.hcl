scenario "sweeps" {}

backend "fast" "a" {}
backend "fast" "b" {}
variable "secret" {
  default   = ""
  sensitive = true
}

defaults {
  measure { duration = "1s" }
}

test "rpc" "t" {
  payload     = bytes(each.size)
  concurrency = each.callers # want "has no axis \"callers\""
  call        = "threeway" # want "is none of the values allowed"
  rate        = "fast" # want "Invalid value of rate"

  sweep "one" {
    backend = [backend.a, backend.b]
    size    = [512, 512] # want "has the value 512 twice"
    callers = []         # want "has 0 values"
    where   = each.siez > 1 # want "Did you mean \"size\"?"
  }

  sweep "two" {
    backend = ["a"] # want "needs references backend.NAME"
    size    = "512B" # want "needs a list of values"
    zip     = { x = [1, 2], y = [1] } # want "Lists of different lengths"
  }

  sweep "three" { # want "No backend"
    size = [1 / 0] # want "not finite"
  }

  sweep "four" {
    backend = [backend.a]
    size    = [var.secret] # want "Sensitive axis"
    size-b  = [1] # want "may not contain \"-\""
  }
}
