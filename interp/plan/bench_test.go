package plan

import (
	"fmt"
	"runtime"
	"testing"
)

// million is a plan of a million cells: four axes, a filter, five expressions a cell.
const million = `test "rpc" "t" {
  payload     = bytes(each.size * 8)
  concurrency = each.n > 20 ? 4 : 1
  rate        = "${each.n * 10 + 100}Hz"
  call        = each.backend == backend.a ? "async" : "twoway"
  in_flight   = max(1, floor(each.size / 10))
  sweep {
    backend = [backend.a, backend.b]
    size    = [for i in range(1000) : i + 1]
    n       = range(35)
    round   = range(15)
    where   = !(each.backend == backend.b && each.n > 31)
  }
}`

// BenchmarkMillion plans a million cells and computes each of them. What it
// must reach, on a quiet machine: below one second, and 64 MB in use.
func BenchmarkMillion(b *testing.B) {
	s := load(b, head+million)
	b.ReportAllocs()
	for b.Loop() {
		p, diags := New(s, registry, Options{Many: true})
		if diags.HasErrors() {
			b.Fatal(diags)
		}
		for i := range p.Cells() {
			if _, err := p.Cell(i); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(p.Cells()), "cells")
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.HeapSys-m.HeapReleased)/1e6, "MB-heap")
}

// BenchmarkCount plans without computing cells: counting does not list.
func BenchmarkCount(b *testing.B) {
	s := load(b, head+million)
	for b.Loop() {
		if _, diags := New(s, registry, Options{Many: true}); diags.HasErrors() {
			b.Fatal(diags)
		}
	}
}

// BenchmarkFilter counts the cells of a filter over four axes.
func BenchmarkFilter(b *testing.B) {
	s := load(b, head+`test "rpc" "t" {
  sweep {
    backend = [backend.a, backend.b]
    x       = range(1000)
    y       = range(100)
    z       = range(10)
    where   = !(each.backend == backend.b && each.z > 4) && each.x + each.y < 900
  }
}`)
	for b.Loop() {
		if _, diags := New(s, registry, Options{Many: true}); diags.HasErrors() {
			b.Fatal(diags)
		}
	}
}

// BenchmarkShared finds what two sweeps of a hundred thousand cells have in common.
func BenchmarkShared(b *testing.B) {
	sweep := `  sweep {
    backend = [backend.a, backend.b]
    x       = range(500)
    y       = range(100)
  }
`
	s := load(b, fmt.Sprintf("%stest \"rpc\" \"t\" {\n%s%s}\n", head, sweep, sweep))
	for b.Loop() {
		if _, diags := New(s, registry, Options{}); diags.HasErrors() {
			b.Fatal(diags)
		}
	}
}

// BenchmarkOrder goes through the order of a million runs.
func BenchmarkOrder(b *testing.B) {
	for _, order := range []string{"grouped", "interleaved", "random"} {
		b.Run(order, func(b *testing.B) {
			s := load(b, `scenario "s" {}
backend "fake" "a" {}
methodology "m" {
  measure { duration = "1s" }
  repeat { runs = 10 }
  order = "`+order+`"
}
test "rpc" "t" {
  methodology = methodology.m
  sweep {
    backend = [backend.a]
    x       = range(1000)
    y       = range(100)
  }
}`)
			p, diags := New(s, registry, Options{})
			if diags.HasErrors() {
				b.Fatal(diags)
			}
			b.ReportAllocs()
			for b.Loop() {
				for range p.Order() {
				}
			}
		})
	}
}
