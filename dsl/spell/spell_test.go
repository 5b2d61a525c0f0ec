package spell

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"latency", "throughput", "time_per_call", "backend", "baseline", "n", "samples", "p50", "p99"}
	for _, c := range []struct{ name, want string }{
		{"latncy", "latency"},
		{"Latency", "latency"},
		{"timepercall", "time_per_call"},
		{"time_per_cal", "time_per_call"},
		{"bakcend", "backend"}, // a swap is one edit
		{"base_line", "baseline"},
		{"p98", "p99"},
		{"zz", ""}, // HCL's own rule suggests "n" here
		{"n", ""},  // right already
		{"", ""},
		{"quux", ""},
		{"延迟", ""},
	} {
		if got := Nearest(c.name, names); got != c.want {
			t.Errorf("Nearest(%q) = %q, want %q", c.name, got, c.want)
		}
	}
}

func TestNearestDoesNotDependOnOrder(t *testing.T) {
	names := []string{"p95", "p90", "p50", "p99"}
	want := Nearest("p91", names)
	for range 10 {
		names = append(names[1:], names[0])
		if got := Nearest("p91", names); got != want {
			t.Fatalf("%q for %v, %q before", got, names, want)
		}
	}
	if want != "p90" {
		t.Errorf("of equally near names the first counts: got %q, want p90", want)
	}
}

func FuzzNearest(f *testing.F) {
	f.Add("latncy", "latency")
	f.Fuzz(func(t *testing.T, name, candidate string) {
		if got := Nearest(name, []string{candidate}); got != "" && got != candidate {
			t.Errorf("Nearest(%q, [%q]) = %q", name, candidate, got)
		}
		a, b := fold(name), fold(candidate)
		if d, back := distance(a, b, 1000), distance(b, a, 1000); d != back {
			t.Errorf("distance is not symmetric: %d and %d", d, back)
		}
	})
}
