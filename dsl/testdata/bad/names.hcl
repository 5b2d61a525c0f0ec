# Each line with a mistake says in a comment what must be reported there.

scenario "names" {}

locals {
  a     = local.b
  b     = local.a # want "local.a -> local.b -> local.a"
  fine  = 1
  typo  = local.fin       # want "Did you mean \"fine\"?"
  gone  = var.nothing     # want "There is no variable \"nothing\""
  bare  = fine            # want "Unknown name"
  fn    = cel(1.5)        # want "Did you mean \"ceil\"?"
  tried = try(nowhere, 1) # want "Unknown name"
  early = each.backend    # want "differs from cell to cell"
  sooner = latency.mean   # want "is measured; this argument is evaluated before anything runs"
  half  = backend         # want "Incomplete reference"
}

locals {
  fine = 2 # want "Duplicate name"
}

backend "fast" "f" {}
backend "fasd" "g" {} # want "Did you mean \"fast\"?"
backend "fast" "f" {} # want "Duplicate name"
backend "fast" "has-dash" {} # want "may not contain \"-\""
backend "fast" {} # want "Wrong number of labels"

methodology "m" {
  measure { duration = "1s" }
}

test "rpc" "t" {
  methodology = methodology.n # want "There is no methodology \"n\""
  payload     = bytes(each.payload)
  measure { duration = "1s" }
  sweep {
    backend = [backend.f, backend.h] # want "There is no backend \"h\""
    payload = [512]
  }
}
