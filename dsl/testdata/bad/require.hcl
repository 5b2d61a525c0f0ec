scenario "require" {}

host "local" "good" {
  require = { governor = "performance", cores = 2 }
}

host "local" "misspelt" {
  require = { govenor = "performance" } # want "Did you mean \"governor\"?"
}

host "local" "half" {
  require = { cores = 1.5 } # want "Write cores as in"
}

host "local" "number" {
  require = { governor = 3 } # want "Write governor as in"
}

backend "fast" "a" {}

test "rpc" "t" {
  backend = backend.a
  measure { calls = 10 }
}
