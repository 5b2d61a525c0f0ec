# A replay test may show the measurements of another test a second time.
scenario "s" {}

dataset "csv" "d" { file = "none.csv" } # want "no such file"

backend "replay" "r" { # want "needs the argument"
  dataset = dataset.d
}

test "replay" "table" {
  backend = backend.r
  sweep { x = [1] }
}

test "replay" "itself" {
  shows   = test.itself # want "Invalid value of shows"
  backend = backend.r
  sweep { x = [1] }
}

test "replay" "unknown" {
  shows   = test.tabel # want "Unknown test"
  backend = backend.r
  sweep { x = [1] }
}

test "replay" "text" {
  shows   = "table" # want "Invalid value of shows"
  backend = backend.r
  sweep { x = [1] }
}
