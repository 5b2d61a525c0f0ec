package dataset

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadCSV(t *testing.T) {
	for _, c := range []struct {
		name, in string
		opt      Options
		want     Table
	}{
		{"numbers, texts and gaps", "test,ice_s,n\nTwoway,119.20e-6,1\n\"Twoway, AMI\",,N/A\nOneway,3,-\n", Options{}, Table{
			[]string{"test", "ice_s", "n"}, []map[string]any{
				{"test": "Twoway", "ice_s": 119.20e-6, "n": 1.0}, {"test": "Twoway, AMI"}, {"test": "Oneway", "ice_s": 3.0},
			}}},
		{"units and new names", "avg (us),loss\n102.385,50\n", Options{
			Units: map[string]string{"latency": "us", "loss": "percent"}, Names: map[string]string{"latency": "avg (us)"},
		}, Table{[]string{"latency", "loss"}, []map[string]any{{"latency": 102.385e-6, "loss": 0.5}}}},
		{"byte order mark, CRLF, spaces, empty lines", "\xef\xbb\xbfa, b\r\n 1 , x \r\n\r\n2,y\r\n", Options{}, Table{
			[]string{"a", "b"}, []map[string]any{{"a": 1.0, "b": "x"}, {"a": 2.0, "b": "y"}}}},
		{"a stray text makes a text column", "a\n1\nmany\n", Options{}, Table{
			[]string{"a"}, []map[string]any{{"a": "1"}, {"a": "many"}}}},
		{"own texts for no value", "a,b\n1,2\nnan,?\n,\n", Options{NA: []string{"nan", "?"}}, Table{
			[]string{"a", "b"}, []map[string]any{{"a": 1.0, "b": 2.0}, {}, {}}}},
		{"a column of NaN is text", "a\nNaN\n", Options{}, Table{[]string{"a"}, []map[string]any{{"a": "NaN"}}}},
		{"hexadecimal is text", "a\n0x10\n", Options{}, Table{[]string{"a"}, []map[string]any{{"a": "0x10"}}}},
		{"header only", "a,b\n", Options{}, Table{[]string{"a", "b"}, []map[string]any{}}},
		{"quotes", "a\n\"say \"\"hi\"\"\nthere\"\n", Options{}, Table{[]string{"a"}, []map[string]any{{"a": "say \"hi\"\nthere"}}}},
	} {
		got, err := ReadCSV([]byte(c.in), c.opt)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if d := cmp.Diff(&c.want, got); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

func TestReadCSVErrors(t *testing.T) {
	wide := strings.Repeat("a,", MaxColumns) + "a\n"
	for _, c := range []struct {
		in, want string
		opt      Options
	}{
		{"", "the file is empty", Options{}},
		{"a,b\n1\n", "line 2, column 1: this row has 1 value, and the header names 2 columns", Options{}},
		{"a\n1,2,3\n", "line 2, column 1: this row has 3 values, and the header names 1 column", Options{}},
		{"a,b,a\n", `line 1, column 5: columns 1 and 3 are both named "a"`, Options{}},
		{"a,,b\n", "line 1, column 3: column 2 has no name", Options{}},
		{"a;b\n1;2\n", "separated by semicolons", Options{}},
		{"a\tb\n", "separated by tabs", Options{}},
		{"a,b\n1,\xff\n", "line 2, column 3: byte 0xff is not UTF-8", Options{}},
		{"a,b\n1,\x00\n", "line 2, column 3: a zero byte", Options{}},
		{"\xff\xfea\x00", "UTF-16", Options{}},
		{"a,b\n1,\"two\n3,4\n", "begins in line 2 is not ended", Options{}},
		{"a,b\n1,t\"wo\n", `line 2, column 4: a quote inside a value`, Options{}},
		{"a\n1\nfast\n", `line 3, column 1: "fast" in column "a" is not a number, but the column has a unit`, Options{Units: map[string]string{"a": "us"}}},
		{"a\n1\nNaN\n", `line 3, column 1: "NaN" in column "a" is not a number; if it means no value, add it to na`, Options{}},
		{"a\n1\n-inf\n", `"-inf" in column "a" is not a number`, Options{}},
		{"a\n1e999\n", "line 2, column 1: 1e999 in column \"a\" is beyond the range of numbers", Options{}},
		{"a\n1e308\n", "1e308 GiB in column \"a\" is beyond", Options{Units: map[string]string{"a": "GiB"}}},
		{"a\n1\n", `units names the column "b", and the file has a`, Options{Units: map[string]string{"b": "us"}}},
		{"a\n1\n", `column "a": unknown unit "parsec"`, Options{Units: map[string]string{"a": "parsec"}}},
		{"a\n1\n", `names wants the column "x" as "b", and the file has a`, Options{Names: map[string]string{"b": "x"}}},
		{"a,b\n1,2\n", `two columns are named "b"`, Options{Names: map[string]string{"b": "a"}}},
		{"a\n1\n", `two names, "b" and "c"`, Options{Names: map[string]string{"b": "a", "c": "a"}}},
		{wide, "there are 1001 columns; the limit is 1000", Options{}},
	} {
		_, err := ReadCSV([]byte(c.in), c.opt)
		var e *Error
		if err == nil || !strings.Contains(err.Error(), c.want) || !errors.As(err, &e) {
			t.Errorf("%.40q: error %v, want %q in it", c.in, err, c.want)
		}
	}
}

func TestLimits(t *testing.T) {
	if _, err := ReadCSV(make([]byte, MaxBytes+1), Options{}); err == nil || !strings.Contains(err.Error(), "64 MiB") {
		t.Errorf("65 MiB: %v", err)
	}
	wide := strings.Repeat("1,", MaxColumns-1) + "1\n"
	var header []string
	for i := range MaxColumns {
		header = append(header, fmt.Sprint("c", i))
	}
	_, err := ReadCSV([]byte(strings.Join(header, ",")+"\n"+strings.Repeat(wide, MaxCells/MaxColumns+1)), Options{})
	if err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("too many values: %v", err)
	}
}

func FuzzReadCSV(f *testing.F) {
	for _, s := range []string{"a,b\n1,2\n", "a\n\"", "\xef\xbb\xbfa\n1\n", "a;b\n", "a,b\n1,x\n,N/A\n", "a\n1e999\n", "a\n.\n", "a\n-.5e-3\n"} {
		f.Add([]byte(s), "a", "us")
	}
	f.Fuzz(func(t *testing.T, data []byte, column, unit string) {
		for _, opt := range []Options{{}, {Units: map[string]string{column: unit}}, {Names: map[string]string{"x": column}}} {
			table, err := ReadCSV(data, opt)
			if err != nil {
				continue
			}
			for _, row := range table.Rows {
				for name, v := range row {
					switch v := v.(type) {
					case float64:
						if math.IsNaN(v) || math.IsInf(v, 0) {
							t.Errorf("%s = %v", name, v)
						}
					case string:
					default:
						t.Errorf("%s is a %T", name, v)
					}
				}
			}
		}
	})
}
