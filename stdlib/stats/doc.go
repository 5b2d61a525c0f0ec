// Package stats is the statistics beneath comparisons: pure functions over
// run-level values, one number a run (its mean, its p99, its throughput).
// Message-level values are not independent and never come here directly.
//
// Conventions, for every function:
//
//   - The caller's slices are never changed, and no order is assumed unless
//     the name or the comment says so.
//   - A summary of one sample (Mean, Quantile, ...) that has no answer is NaN:
//     for an empty sample, and for one that holds NaN or an infinity. Check
//     says why, in words.
//   - A test or an interval that can't be computed is an error that says why
//     and what would be needed. No function panics on data.
//   - Nothing is clamped, dropped or replaced.
//
// Each file holds one method, with its source (author, year) and its
// conditions. Where gonum does it well (means, distributions), gonum does it.
//
// What is where: summaries (summary.go, quantile.go, best.go); intervals of one
// sample (interval.go, order.go, proportion.go); two samples (mannwhitney.go,
// hodgeslehmann.go, ttest.go, fieller.go, effect.go); pairs (signedrank.go);
// many samples (groups.go, padjust.go); any formula (bootstrap.go, bca.go); what
// to conclude (verdict.go); series (trend.go, autocorrelation.go, mser.go,
// changepoint.go); planning and cleaning (samplesize.go, kalibera.go,
// outliers.go); batches of messages (batch.go).
//
// The package reads no files, knows no metrics and prints nothing.
package stats
