package report

import (
	"fmt"
	"strings"
	"testing"
)

// keptTables are all kinds of places in which a mean over kept runs can stand.
const keptTables = `
table "columns" {
  rows = [each.backend, each.payload]
  column "mean" { value = time_per_call * 1e6 }
}
table "pivot" {
  rows    = [each.backend]
  columns = [each.payload]
  cell    = time_per_call * 1e6
}
table "geomean" {
  rows = [each.backend]
  column "over sizes" { value = geomean(time_per_call * 1e6) }
  column "gains" { value = geomean(1 + comparison.vs_grpc) }
}
table "derived" {
  rows = [each.backend, each.payload]
  column "gain" { value = comparison.vs_grpc * 100 }
}
table "extremes" {
  rows = [each.backend, each.payload]
  column "max" { value = latency.max * 1e6 }
}
`

func TestMedianStandsBesideEveryKeptMean(t *testing.T) {
	for rule, says := range map[string]string{
		"best = n / 2":   "the best 3 of 6 runs by time_per_call",
		"trimmed = 0.2":  "4 of 6 runs, without the 1 best and the 1 worst by time_per_call",
		"trimmed = 0":    "",
		"best = n":       "",
		"trimmed = 0.01": "",
	} {
		s, p := planned(t, strings.Replace(measuredHead, "best = n / 2", rule, 1)+keptTables)
		r := built(t, s, p, measured(t, p))
		for _, table := range r.Tables {
			if says == "" || table.Name == "extremes" {
				if table.AllRuns != nil {
					t.Errorf("%s: table %s has medians beside no selection", rule, table.Name)
				}
				continue
			}
			if table.AllRuns == nil {
				t.Errorf("%s: table %s has no medians of all runs", rule, table.Name)
				continue
			}
			numbers := 0
			for _, row := range table.AllRuns.Rows {
				for _, c := range row {
					if c.Value == nil {
						continue
					}
					numbers++
					if c.Detail == nil || c.Detail.Low == nil || *c.Detail.Low > *c.Value || *c.Detail.High < *c.Value {
						t.Errorf("%s: table %s: %v has no interval around it", rule, table.Name, c.Parts)
					}
				}
			}
			want := map[string]int{"columns": 6, "pivot": 6, "geomean": 5, "derived": 4}[table.Name]
			if numbers != want {
				t.Errorf("%s: table %s has %d medians, want %d", rule, table.Name, numbers, want)
			}
			if !strings.Contains(footnotesOf(table), says) {
				t.Errorf("%s: table %s does not say how many were kept: %s", rule, table.Name, footnotesOf(table))
			}
		}
	}
}

func footnotesOf(t *Table) string {
	var b strings.Builder
	for _, f := range t.Footnotes {
		b.WriteString(f.Text + "\n")
	}
	return b.String()
}

// Under a heading of percentages, or of how many times as long it takes, the ratio
// of all runs says that it is something else.
func TestHeadingOfRatios(t *testing.T) {
	for _, x := range []struct {
		value, format string
		other         bool
	}{
		{"(baseline.time_per_call - candidate.time_per_call) / candidate.time_per_call", "percent", true},
		{"candidate.time_per_call / baseline.time_per_call", "ratio", true},
		{"baseline.time_per_call / candidate.time_per_call", "ratio", false},
	} {
		src := strings.Replace(measuredHead, "(baseline.time_per_call - candidate.time_per_call) / candidate.time_per_call", x.value, 1)
		src = strings.Replace(src, `format   = "percent"`, fmt.Sprintf("format   = %q", x.format), 1)
		s, p := planned(t, src+"\ntable \"t\" {\n rows = [each.backend, each.payload]\n column \"against it\" { value = comparison.vs_grpc }\n}\n")
		got := text(t, built(t, s, p, measured(t, p)), Options{})
		if strings.Contains(got, "against it: times as good") != x.other {
			t.Errorf("%s:\n%s", x.value, got)
		}
	}
}

// Metrics that were not recorded are one footnote, where there are many.
func TestNotRecorded(t *testing.T) {
	for n, want := range map[int]string{2: "m1 was not recorded", 3: "not recorded"} {
		var f footnotes
		cells := make([]Cell, n)
		for i := range cells {
			f.add(&cells[i], "N/A", fmt.Sprintf("m%d was not recorded", i))
		}
		f.table(singleRun)
		f.several = true
		notes := f.finish()
		if got := fmt.Sprint(notes); !strings.Contains(got, want) || n == 3 && len(notes) != 2 || !strings.Contains(got, "Where there is one run a side") {
			t.Errorf("%d: %v", n, notes)
		}
	}
}
