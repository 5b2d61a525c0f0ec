scenario "links" {}

host "local" "here" {}
host "netns" "near" {}
host "netns" "far" {}
host "netns" "moon" {}

link "modem" {
  between = [host.near, host.far]
  rate    = "56kbit/s"
}

link "again" { # want "the same hosts as link \"modem\""
  between = [host.far, host.near]
  delay   = "1ms"
}

link "out" { # want "Host \"here\" is not a network namespace"
  between = [host.here, host.far]
  rate    = "1Mbit/s"
}

link "free" { # want "Give link \"free\" a rate or a delay"
  between = [host.near, host.moon]
}

link "self" {
  between = [host.near, host.near] # want "Write two hosts"
  rate    = "1Mbit/s"
}

link "three" {
  between = [host.near, host.far, host.moon] # want "Write two hosts"
  rate    = "1Mbit/s"
}

link "slow" {
  between = [host.far, host.moon]
  rate    = "100bit/s" # want "outside of the range"
}
