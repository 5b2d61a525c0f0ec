package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"versus/drivers"
	"versus/dsl"
	"versus/interp/journal"
	"versus/interp/plan"
)

// untilCells are three cells with a stop rule, of recorded values: nothing is
// started.
func untilCells() cells {
	var list []*plan.Cell
	for _, name := range []string{"calm", "wild", "settling"} {
		list = append(list, &plan.Cell{
			Key:      name,
			Test:     &dsl.Test{Methodology: &dsl.Methodology{Until: &dsl.Until{RelativeInterval: 0.02, Min: 6, Max: 12}}},
			Workload: drivers.Workload{Driver: "recorded"},
		})
	}
	return cells{list, 12}
}

// value is what the n-th run of a cell gives.
func value(cell string, n int) float64 {
	switch {
	case cell == "wild", cell == "settling" && n == 1:
		return 1 + 0.1*float64(n%3)
	}
	return 1
}

func untilOptions() Options {
	return Options{
		Drivers: drivers.Registry{{Name: "recorded", Recorded: func(w drivers.Workload, run int) (map[string]float64, error) {
			return map[string]float64{"n": float64(run)}, nil
		}}},
		Value: func(c *plan.Cell, r *journal.Run) (float64, bool) { return value(c.Key, r.Run), true },
	}
}

func made(runs []journal.Run) string {
	n := map[string]int{}
	for _, r := range runs {
		n[r.Cell]++
	}
	return fmt.Sprint(n)
}

// Of nine values one may be an outlier: the interval of the median of 9 leaves
// one out at each end.
const untilWant = "map[calm:6 settling:9 wild:12]"

func TestCellsStopWhenTheyArePreciseEnough(t *testing.T) {
	if got := made(records(t, untilCells(), untilOptions())); got != untilWant {
		t.Errorf("runs %s, want %s", got, untilWant)
	}
}

func TestStoppingSurvivesResume(t *testing.T) {
	for _, cut := range []int{1, 7, 17, 18, 19, 24, 26} {
		dir, j := newJournal(t)
		ctx, cancel := context.WithCancel(t.Context())
		opts := untilOptions()
		left := cut
		opts.Progress = func(e Event) {
			if _, done := e.(Finished); done {
				if left--; left == 0 {
					cancel()
				}
			}
		}
		if err := Run(ctx, untilCells(), j, opts); !errors.Is(err, context.Canceled) {
			t.Fatalf("cut after %d: %v", cut, err)
		}
		j.Close()
		j, content, err := journal.Open(dir)
		if err != nil || len(content.Runs) != cut {
			t.Fatalf("cut after %d: %d runs, %v", cut, len(content.Runs), err)
		}
		opts = untilOptions()
		opts.Before = content.Runs
		if err := Run(t.Context(), untilCells(), j, opts); err != nil {
			t.Fatal(err)
		}
		j.Close()
		after, err := journal.Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		if got := made(after.Runs); got != untilWant || len(after.Retried) > 0 {
			t.Errorf("cut after %d: runs %s, want %s; %d again", cut, got, untilWant, len(after.Retried))
		}
	}
}

func TestAFailedRunIsNoValue(t *testing.T) {
	opts := untilOptions()
	opts.Drivers[0].Recorded = func(w drivers.Workload, run int) (map[string]float64, error) {
		if run == 2 {
			return nil, errors.New("no record")
		}
		return map[string]float64{"n": 1}, nil
	}
	runs := records(t, untilCells(), opts)
	if got := made(runs); !strings.HasPrefix(got, "map[calm:7 ") {
		t.Errorf("runs %s; a cell with a failed run needs one more", got)
	}
}
