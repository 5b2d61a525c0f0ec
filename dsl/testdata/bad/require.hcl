scenario "require" {}

host "local" "good" {
  require = { governor = "performance", cores = 2, memory = "1GiB", kernel = "5.15", binaries = ["tc", "/usr/sbin/mosquitto"] }
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

host "local" "near" {
  require = { governor = "perfomance" } # want "did you mean \"performance\"?"
}

host "local" "other" {
  require = { governor = "walt" }
}

host "local" "unit" {
  require = { memory = "8 apples" } # want "Write memory as in"
}

host "local" "version" {
  require = { kernel = 6.1 } # want "A version is a text, since 6.10 is not 6.1. Write kernel as in"
}

host "local" "release" {
  require = { kernel = "six" } # want "\"six\" is no version of a kernel"
}

host "local" "program" {
  require = { binaries = "tc" } # want "Write binaries as in"
}

host "local" "relative" {
  require = { binaries = ["bin/tc"] } # want "neither the name of a program nor its full path"
}

backend "fast" "a" {}

test "rpc" "t" {
  backend = backend.a
  measure { calls = 10 }
}
