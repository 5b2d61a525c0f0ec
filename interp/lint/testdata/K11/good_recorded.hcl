# Recorded results of one run have no interval.

scenario "good_recorded" {
  title = "gRPC and HTTP, as published"
}

dataset "csv" "published" {
  file        = "published.csv"
  environment = "One machine; versions and flags were not published."
}

backend "replay" "published_grpc" {
  dataset = dataset.published
  where   = { backend = "grpc" }
  metrics = { "latency.mean" = column("latency_s") }
}

backend "replay" "published_http" {
  dataset = dataset.published
  where   = { backend = "http" }
  metrics = { "latency.mean" = column("latency_s") }
}

test "replay" "published" {
  sweep { backend = [backend.published_grpc, backend.published_http] }
}

comparison "published" {
  baseline = { backend = backend.published_grpc }
  value    = baseline.latency.mean / candidate.latency.mean
  format   = "ratio"
  test     = test.published
}

table "published" {
  test = test.published
  rows = [each.backend]

  column "latency mean (ms)" { value = latency.mean * 1e3 }
  column "times as fast" { value = comparison.published }
}

expect "HTTP was twice as fast" {
  test      = test.published
  condition = comparison.published > 1.95
}
