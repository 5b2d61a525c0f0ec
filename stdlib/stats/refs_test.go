package stats

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// The files in testdata are reference values computed with SciPy, NumPy and R;
// see its README.

// reference reads a JSON file of testdata.
func reference[T any](t testing.TB, name string) T {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v
}

// samples are the named samples that the other files refer to.
func samples(t testing.TB) map[string][]float64 {
	return reference[map[string][]float64](t, "datasets.json")
}

// rows reads a CSV file of testdata, as one map of columns a row.
func rows(t testing.TB, name string) []map[string]string {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []map[string]string
	for _, r := range records[1:] {
		row := map[string]string{}
		for i, name := range records[0] {
			row[name] = r[i]
		}
		out = append(out, row)
	}
	return out
}

func num(t testing.TB, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// near says whether two values agree to a relative tolerance (absolute below 1e-9).
func near(got, want, tolerance float64) bool {
	if math.IsNaN(want) {
		return math.IsNaN(got)
	}
	return math.Abs(got-want) <= tolerance*math.Max(math.Abs(want), 1e-9)
}

// expect reports a value that is not near the one wanted.
func expect(t testing.TB, what string, got, want float64) {
	t.Helper()
	if !near(got, want, 1e-9) {
		t.Errorf("%s = %.12g, want %.12g", what, got, want)
	}
}

// expectPair is expect for the two ends of an interval.
func expectPair(t testing.TB, what string, got Interval, want []float64) {
	t.Helper()
	expect(t, what+" low", got.Low, want[0])
	expect(t, what+" high", got.High, want[1])
}
