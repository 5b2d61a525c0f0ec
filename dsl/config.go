package dsl

import (
	"versus/dsl/schema"
)

// Config is what a load needs beside the files.
type Config struct {
	// Drivers describe the options of `backend "DRIVER" "NAME"`.
	Drivers []schema.Kind
	// Patterns lists, by driver, the patterns of tests that it can carry.
	Patterns map[string][]string
	// Set are the values of variables from the command line, in its order.
	Set []Setting
	// Env is the environment, as os.Environ gives it; VERSUS_VAR_name sets a variable.
	Env []string
}

// Setting gives values to variables: one -var name=value, or one -var-file.
type Setting struct {
	Name string
	// Value is the text of the value: as it stands where the variable is a
	// string, number or bool, else an HCL expression.
	Value string
	// HCL says that Value is an HCL expression in any case.
	HCL bool
	// Hidden says that the value is not to be had: it was sensitive, and the
	// journal that is being read doesn't hold it.
	Hidden bool
	// File is the name of a file of values, and Content what it holds.
	File    string
	Content []byte
}

// Results are what a result-time expression can ask for.
type Results interface {
	// Metric returns a metric of one side ("" for the cell at hand,
	// "baseline", "candidate"), by its full name such as "latency.p99_9".
	// Without a value it returns why.
	Metric(side, name string) (value float64, why string)
	// Comparison returns a field of a comparison at this cell: "value", "low",
	// "high", "p" as a number or "verdict" as a text. Without a value it
	// returns why.
	Comparison(name, field string) (number float64, text string, why string)
}

// OutcomeKind says what an Outcome holds.
type OutcomeKind int

// The kinds of outcome.
const (
	IsNumber OutcomeKind = iota
	IsText
	IsBool
	IsMissing   // a value that was not measured: printed N/A
	IsUndefined // arithmetic without a result, x/0: printed ?
)

// Outcome is the value of a result-time expression, after the one boundary
// where numbers leave cty: Number is always finite.
type Outcome struct {
	Kind   OutcomeKind
	Number float64
	Text   string
	Bool   bool
	Why    string // for IsMissing and IsUndefined: a footnote
}
