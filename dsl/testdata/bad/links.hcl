scenario "links" {}

host "local" "here" {}
host "netns" "near" {}
host "netns" "far" {}
host "netns" "moon" {}
host "netns" "earth" {}

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

link "free" { # want "Give link \"free\" a rate, a delay or a loss"
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

link "uneven" {
  between = [host.far, host.earth]
  delay   = "1ms"
  jitter  = "2ms" # want "at most by the delay itself, 0.001 s"
}

link "dead" {
  between = [host.moon, host.earth]
  loss    = 1 # want "outside of the range"
}

link "wet" {
  between = [host.near, host.earth]
  via     = "string" # want "none of the values allowed: netem, relay"
}
