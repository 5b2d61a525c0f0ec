package dataset

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// aimrtCounts are the counts from which each share follows.
var aimrtCounts = map[string][2]string{"loss_rate": {"sent", "received"}, "error_rate": {"calls", "succeeded"}}

// settle decides in which unit a column of shares is, and sets it. AimRT 1.0
// wrote fractions under the heading "loss_rate(%)", 0.10 and 1.2 wrote
// percentages; so neither the heading nor a percent sign is evidence, only the
// counts in the same row are.
func (a *aimrtData) settle(share, told string) error {
	c := slices.Index(a.columns, share)
	switch told {
	case LossPercent:
		a.units[share] = "percent"
	case LossCounts:
		return a.computeShares(share, c)
	case LossFraction:
	default:
		percent, err := a.evidence(share, c)
		if err != nil {
			return err
		}
		if percent {
			a.units[share] = "percent"
		}
	}
	return a.cleanShares(share, c)
}

// evidence compares every share with what the counts of its row give, and
// says whether the shares are percentages.
func (a *aimrtData) evidence(share string, c int) (percent bool, err error) {
	var asPercent, asFraction, unknown *cell
	for i := range a.rows {
		v := &a.rows[i][c]
		if !v.ok {
			continue
		}
		x, half, err := readShare(*v, share)
		if err != nil {
			return false, err
		}
		want, ok, err := a.countedShare(i, share)
		if err != nil {
			return false, err
		}
		// A printed number is right to half of its last digit.
		isFraction := ok && math.Abs(x-want) <= half
		isPercent := ok && math.Abs(x-100*want) <= half
		switch {
		case isFraction && isPercent || !ok && x == 0:
		case isPercent:
			asPercent = v
		case isFraction:
			asFraction = v
		default:
			unknown = v
		}
	}
	const help = `say what the column is: loss = "percent", "fraction", or "counts" to compute it from the counts`
	sent, got := aimrtCounts[share][0], aimrtCounts[share][1]
	switch {
	case unknown != nil:
		return false, errorAt(unknown.at, "%s: %.40q is neither the percentage nor the fraction that %s and %s give, if they are there; %s", share, unknown.text, sent, got, help)
	case asPercent != nil && asFraction != nil:
		return false, errorAt(asPercent.at, "%s: %.40q is a percentage by %s and %s, but %.40q in line %d is a fraction; %s",
			share, asPercent.text, sent, got, asFraction.text, asFraction.at.line, help)
	}
	return asPercent != nil, nil
}

// readShare returns a share as written and half a unit of its last digit.
func readShare(v cell, share string) (x, half float64, err error) {
	digits := strings.TrimSpace(strings.TrimSuffix(v.text, "%"))
	if !decimal.MatchString(digits) {
		return 0, 0, errorAt(v.at, "%s: %.40q is not a finite number", share, v.text)
	}
	x, err = strconv.ParseFloat(digits, 64)
	if err != nil {
		return 0, 0, errorAt(v.at, "%s: %.40s is beyond the range of numbers", share, digits)
	}
	mantissa, exponent, _ := strings.Cut(strings.ToLower(digits), "e")
	_, decimals, _ := strings.Cut(mantissa, ".")
	exp, _ := strconv.Atoi(exponent)
	return x, 0.5*math.Pow10(max(exp, -300)-min(len(decimals), 12))*(1+1e-9) + 1e-9*math.Abs(x), nil
}

// countedShare computes the share of a row from its counts, if it has them.
func (a *aimrtData) countedShare(i int, share string) (float64, bool, error) {
	all, okAll := a.count(i, aimrtCounts[share][0])
	good, okGood := a.count(i, aimrtCounts[share][1])
	if !okAll || !okGood || all == 0 {
		return 0, false, nil
	}
	return (all - good) / all, true, nil
}

func (a *aimrtData) count(i int, column string) (float64, bool) {
	c := slices.Index(a.columns, column)
	if c < 0 || !a.rows[i][c].ok {
		return 0, false
	}
	v, err := strconv.ParseFloat(a.rows[i][c].text, 64)
	return v, err == nil
}

// computeShares replaces the column by what the counts give.
func (a *aimrtData) computeShares(share string, c int) error {
	for i := range a.rows {
		v := &a.rows[i][c]
		if !v.ok {
			continue
		}
		want, ok, err := a.countedShare(i, share)
		if err != nil {
			return err
		}
		if !ok {
			return errorAt(v.at, "%s can't be computed: the row has no %s and %s", share, aimrtCounts[share][0], aimrtCounts[share][1])
		}
		v.text = strconv.FormatFloat(want, 'g', -1, 64)
	}
	return a.cleanShares(share, c)
}

// cleanShares drops percent signs and refuses what is no share.
func (a *aimrtData) cleanShares(share string, c int) error {
	most := 1.0
	if a.units[share] == "percent" {
		most = 100
	}
	for i := range a.rows {
		v := &a.rows[i][c]
		if !v.ok {
			continue
		}
		x, _, err := readShare(*v, share)
		if err != nil {
			return err
		}
		if x < 0 || x > most {
			return errorAt(v.at, "%s: %.40s is not from 0 to %s; more was received than sent, or the unit is another", share, v.text, fmt.Sprint(most))
		}
		v.text = strings.TrimSpace(strings.TrimSuffix(v.text, "%"))
	}
	return nil
}
