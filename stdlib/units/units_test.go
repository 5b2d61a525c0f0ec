package units

import (
	"math"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		parse func(string) (float64, error)
		text  string
		want  float64
	}{
		{Duration, "0", 0}, {Duration, "0s", 0}, {Duration, "200ms", 0.2}, {Duration, "5us", 5e-6},
		{Duration, "1µs", 1e-6}, {Duration, "1μs", 1e-6}, {Duration, "1m30s", 90}, {Duration, "1h1m1s", 3661},
		{Duration, "1.5s", 1.5}, {Duration, " 2 s ", 2}, {Duration, "0.1ms", 1e-4}, {Duration, "1e3ms", 1},
		{Duration, "7ns", 7e-9}, {Duration, "1m 30s", 90},
		{Size, "512B", 512}, {Size, "8KiB", 8192}, {Size, "4MB", 4e6}, {Size, "4MiB", 4 << 20},
		{Size, "1.5KiB", 1536}, {Size, "1kB", 1000}, {Size, "1KB", 1000}, {Size, "8192TiB", 1 << 53},
		{Rate, "1kHz", 1000}, {Rate, "1000/s", 1000}, {Rate, "2MHz", 2e6}, {Rate, "30/min", 0.5}, {Rate, "1.5k/s", 1500},
		{Bandwidth, "56kbit/s", 56000}, {Bandwidth, "1Gbit/s", 1e9},
		{Percent, "5%", 0.05}, {Percent, "0.1 %", 0.001}, {Percent, "150%", 1.5},
	} {
		got, err := c.parse(c.text)
		if err != nil || got != c.want {
			t.Errorf("%q = %v, %v; want %v", c.text, got, err, c.want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		parse      func(string) (float64, error)
		text, want string
	}{
		{Size, "4mb", `did you mean "4MB" (4,000,000 B) or "4MiB" (4,194,304 B)?`},
		{Size, "4Mb", `did you mean "4MB" (4,000,000 B) or "4MiB"`},
		{Size, "8kib", `did you mean "8KiB"?`},
		{Size, "512", `has no unit; write for example "512B"`},
		{Size, "1.3B", "not a whole number of bytes"},
		{Size, "9000TiB", "too large; a size may be 8PiB at most"},
		{Size, "1e300B", "too large"},
		{Size, "1e400B", "too large"},
		{Size, "5ms", "is a duration, not a size"},
		{Duration, "-5ms", "can't be negative"},
		{Duration, "+5ms", "without the plus sign"},
		{Duration, "NaN", "is not a duration"},
		{Duration, "Inf", "is not a duration"},
		{Duration, "NaNs", "is not a duration"},
		{Duration, "", "empty text"},
		{Duration, "5", `write for example "5s"`},
		{Duration, "5sec", `did you mean "5s"?`},
		{Duration, "5MS", `did you mean "5ms"?`},
		{Duration, "5 parsec", "is a number and one of ns, us, ms, s, m, h"},
		{Duration, "1,000ms", "without separators"},
		{Duration, "1_000ms", "without separators"},
		{Duration, ".5s", "write a number and a unit"},
		{Duration, "5.s", "digits on both sides"},
		{Duration, "30s1m", "one number and one unit"},
		{Duration, "1s1s", "one number and one unit"},
		{Duration, "1e-399s", "too small to tell from 0"},
		{Duration, "1e99999s", "exponent is out of range"},
		{Duration, "300000000h", "too large; a duration may be 292 years at most"},
		{Duration, "1kHz", "is a rate, not a duration"},
		{Duration, strings.Repeat("9", 100), "too long"},
		{Rate, "1000", `write for example "1000Hz"`},
		{Rate, "1khz", `did you mean "1kHz"?`},
		{Rate, "500qps", `did you mean "500/s"?`},
		{Rate, "1m30s", "is a duration, not a rate"},
		{Rate, "1kHz1Hz", "one number and one unit, for example"},
		{Bandwidth, "56kbps", `did you mean "56kbit/s"?`},
		{Bandwidth, "1Mb/s", `did you mean "1Mbit/s"?`},
		{Percent, "5", `write for example "5%"`},
	} {
		got, err := c.parse(c.text)
		if err == nil {
			t.Errorf("%q = %v, want an error with %q", c.text, got, c.want)
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %q, want %q in it", c.text, err, c.want)
		}
	}
}

func TestFormat(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct{ got, want string }{
		{FormatDuration(0), "0s"}, {FormatDuration(0.2), "200ms"}, {FormatDuration(1.2345e-3), "1.23ms"},
		{FormatDuration(12.3456e-6), "12.3us"}, {FormatDuration(999.7e-6), "1ms"}, {FormatDuration(5e-10), "0.5ns"},
		{FormatDuration(59.949), "59.9s"}, {FormatDuration(59.96), "1m"}, {FormatDuration(90), "1m30s"},
		{FormatDuration(7500), "2h5m"}, {FormatDuration(-0.005), "-5ms"}, {FormatDuration(inf), "?"},
		{FormatDuration(math.NaN()), "?"},
		{FormatSize(0), "0B"}, {FormatSize(512), "512B"}, {FormatSize(8192), "8KiB"}, {FormatSize(4e6), "4MB"},
		{FormatSize(4 << 20), "4MiB"}, {FormatSize(1500), "1500B"}, {FormatSize(123456789), "123MB"},
		{FormatSize(512000), "500KiB"}, {FormatSize(500000), "500kB"}, {FormatSize(inf), "?"}, {FormatSize(-512), "-512B"}, {FormatSize(0.5), "0.5B"}, {FormatSize(1 << 30), "1GiB"}, {FormatSize(1e9), "1GB"},
		{FormatBandwidth(56000), "56kbit/s"},
		{FormatPercent(0.256, 1), "25.6%"}, {FormatPercent(-0.0001, 1), "0.0%"}, {FormatPercent(inf, 0), "?"},
		{FormatFixed(-0.04, 1), "0.0"}, {FormatFixed(2.5, 99), "2.50000000000000000000"},
		{FormatNumber(5668.934), "5,669"}, {FormatNumber(102.385), "102.4"}, {FormatNumber(0.00123), "0.001230"},
		{FormatNumber(1234567), "1,234,567"}, {FormatNumber(-12345.6), "-12,346"}, {FormatNumber(1e18), "1.000e+18"},
		{FormatNumber(0), "0"}, {FormatNumber(1e-9), "1.000e-09"}, {FormatNumber(math.NaN()), "?"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"200ms", "4mb", "1m30s", "1e308h", "0", "1/s", "5 1/s", "µ", "9e9e9"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, q := range kinds {
			v, err := q.parse(s)
			if err == nil && (math.IsNaN(v) || v < 0 || v > q.max) {
				t.Errorf("%q as %s = %v", s, q.name, v)
			}
		}
	})
}

// What is printed can be read again, and is within rounding of the value.
func FuzzFormatDuration(f *testing.F) {
	for _, v := range []float64{0, 1e-9, 0.2, 59.96, 3599.9, 1e6} {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, v float64) {
		text := FormatDuration(v)
		if v < 1e-12 || v > 1e9 || math.IsNaN(v) {
			return
		}
		got, err := Duration(text)
		limit := 0.0051 * v
		if v >= 59 {
			limit = 0.51
		}
		if v >= 3599 {
			limit = 31
		}
		if err != nil || math.Abs(got-v) > limit {
			t.Errorf("%v prints as %q, read as %v, %v", v, text, got, err)
		}
	})
}

func TestConvert(t *testing.T) {
	for _, c := range []struct {
		value float64
		unit  string
		want  float64
	}{
		{200, "ms", 0.2}, {102.385, "us", 102.385e-6}, {-3, "ns", -3e-9}, {50, "percent", 0.5}, {4, "KiB", 4096},
		{1, "kHz", 1000}, {2, "m", 120}, {8, "Mbit/s", 8e6}, {7, "s", 7},
	} {
		if got, err := Convert(c.value, c.unit); err != nil || got != c.want {
			t.Errorf("Convert(%v, %q) = %v, %v; want %v", c.value, c.unit, got, err, c.want)
		}
	}
	for unit, want := range map[string]string{"kib": `did you mean "KiB"?`, "parsec": "there are ns, us, ms"} {
		if err := Check(unit); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Check(%q) = %v, want %q in it", unit, err, want)
		}
	}
	if _, err := Convert(1e308, "GB"); err == nil {
		t.Error("1e308 GB must be refused")
	}
}
