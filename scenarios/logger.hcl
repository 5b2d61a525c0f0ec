# What one log call costs its caller, over the length of the line: three loggers
# for Go and one for C++, each line handed to the kernel by the call that logs it,
# and beside them what AimRT has published of its own logger.
#
#   versus run scenarios/logger.hcl
#   versus run -var quick=true scenarios/logger.hcl   (half a minute)
#
# spdlog is written in C++: `versus drivers build log` builds its worker. Without
# it its cells say so. AimRT's figures are from another machine, with 16 CPUs, of
# calls that hand the line to a thread: they are no measure of these loggers.

variable "quick" {
  type        = bool
  default     = false
  description = "Two lengths, fewer calls: to see that it works."
}

variable "cpus" {
  type        = string
  default     = "0"
  description = "Where the logger runs."
}

scenario "logger" {
  title = "Loggers"
}

host "local" "here" {
  cpus = var.cpus
}

backend "log" "slog" { library = "slog" }
backend "log" "zap" { library = "zap" }
backend "log" "zerolog" { library = "zerolog" }
backend "log" "spdlog" { library = "spdlog" }

dataset "csv" "aimrt" {
  file        = "data/aimrt_logger.csv"
  environment = "Intel Core i5-1350P with 16 CPUs, GNU/Linux, x86_64; kernel, versions and flags are not published"
  names       = { size = "log_size_bytes" }
  units       = { avg_latency_ns = "ns" }
}

backend "replay" "aimrt" {
  title   = "AimRT, published"
  dataset = dataset.aimrt
  metrics = { "latency.mean" = column("avg_latency_ns") }
}

methodology "log" {
  warmup { calls = var.quick ? 2000 : 20000 }
  measure { calls = var.quick ? 20000 : 100000 }
  repeat { runs = var.quick ? 6 : 10 }
  order = "interleaved"
}

locals {
  exponents = var.quick ? [5, 10] : range(5, 14)
  sizes     = [for exponent in local.exponents : pow(2, exponent)]
}

test "log" "line" {
  title       = "A line of text to a file"
  methodology = methodology.log
  payload     = bytes(each.size)
  concurrency = 1

  sweep {
    backend = [backend.slog, backend.zap, backend.zerolog, backend.spdlog]
    size    = local.sizes
  }
}

test "replay" "published" {
  title   = "AimRT, as published"
  backend = backend.aimrt
  payload = bytes(each.size)

  sweep { size = local.sizes }
}

table "logger" {
  title   = "Mean latency of a call (ns) over the length of the line (bytes)"
  test    = [test.line, test.published]
  rows    = [each.backend]
  columns = [each.size]
  cell    = latency.mean * 1e9
}

table "detail" {
  title = "Loggers in detail"
  test  = test.line
  rows  = [each.backend, each.size]

  column "mean (ns)" { value = latency.mean * 1e9 }
  column "sd (ns)" { value = latency.stddev * 1e9 }
  column "calls" { value = samples.received }
  column "lines/s" { value = throughput.rate }
  column "CPU of the process" { value = cpu.logger }
  column "lost (%)" { value = errors.rate * 100 }
}

chart "logger" {
  title  = "What a call costs over the length of the line"
  test   = [test.line, test.published]
  x      = each.size
  y      = latency.mean * 1e9
  series = each.backend
  x_axis {
    scale = "log2"
    label = "bytes"
  }
  y_axis { label = "ns" }
}
