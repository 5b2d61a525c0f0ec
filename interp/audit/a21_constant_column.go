package audit

import (
	"slices"
	"strings"
)

var a21 = &Check{
	ID: "A21", Title: "Constant column",
	What:      "A column has the same value in every row. Zero losses in n messages don't show a loss rate of zero, only one below 3/n with 95% confidence: the table says more with that bound. Another constant value is not a measurement.",
	Formula:   "All values of a recorded metric of a test equal, over three rows or more; for 0 of n, 1 - 0.05^(1/n) = 3/n (the rule of three).",
	Tolerance: "Information.",
	Source:    "Hanley and Lippman-Hand 1983. AimRT's columns of loss and error rates, all 0.",
	Needs:     "it needs three recorded rows with a metric",
	run: func(p *pass) {
		for _, g := range groups(p.rows, func(r *row) string {
			if !r.recorded {
				return ""
			}
			return r.test
		}) {
			if len(g) < 3 {
				continue
			}
			p.saw(g...)
			for _, name := range g[0].recordedMetrics() {
				if low, high, ok := column(g, name); ok && low == high {
					p.report(Info, g, "%s is %s in all %d rows%s", name, num(low), len(g), bound(g, name, low))
				}
			}
		}
	},
}

// column is the range of a metric that every row has.
func column(g []*row, name string) (low, high float64, ok bool) {
	for _, r := range g {
		if _, ok := r.has(name); !ok {
			return 0, 0, false
		}
	}
	low, high = extremes(g, name)
	return low, high, true
}

// bound says what a column of zeros shows.
func bound(g []*row, name string, value float64) string {
	if value != 0 || !slices.Contains([]string{"loss", "errors"}, strings.SplitN(name, ".", 2)[0]) {
		return "."
	}
	if low, _, ok := column(g, "samples.sent"); ok && low > 0 {
		return ": with " + num(low) + " messages or more in each, the rate is below 3/n = " + num(3/low) + " with 95% confidence."
	}
	return ": it is below 3/n with 95% confidence, but n was not recorded."
}
