// Package functions holds the functions that a scenario can call: the names
// that users of Terraform know, and those of the domain (payloads, quantities,
// sweeps, summaries, datasets).
//
// HCL evaluates eagerly and has no brake, so every function here is pure (no
// clock, no random numbers, no files) and bounded: arguments and results have
// at most MaxElements elements and MaxText bytes of text, numbers are those of
// a float64, and what would exceed a limit is an error that names it. NaN and
// infinities never leave a function.
//
// Functions that touch files (file, fileexists) or metrics (quantile over a
// distribution) are not here: package dsl adds them.
package functions

import (
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty/function"
)

// Doc describes one function for `versus functions` and the manual.
type Doc struct {
	Name        string
	Signature   string // "quantile(list, p)"; [brackets] are optional
	Description string // sentences, the first of them a summary
	Example     string // an HCL expression
	Result      string // what it gives, in HCL
}

// entry is one row of the tables in this package: everything known of a
// function but its name.
type entry struct {
	signature string
	example   string
	result    string
	fn        function.Function
}

// tables holds all functions, by subject. A name must be in one of them only.
var tables = []map[string]entry{numbers, collections, texts, conversions, payloads, sweeps, summaries, datasets}

// All returns the functions by the name that a scenario calls. The map is the
// caller's own.
func All() map[string]function.Function {
	all := map[string]function.Function{}
	for _, table := range tables {
		for name, e := range table {
			all[name] = e.fn
		}
	}
	return all
}

// Docs describes the functions of All, sorted by name. Some examples use
// dataset.times, a dataset with the columns backend, bytes and mean and the
// rows ("ice", 512, 0.1), ("ice", 1024, 0.2) and ("tao", 512, none).
func Docs() []Doc {
	var docs []Doc
	for _, table := range tables {
		for name, e := range table {
			docs = append(docs, Doc{name, e.signature, e.fn.Description(), e.example, e.result})
		}
	}
	slices.SortFunc(docs, func(a, b Doc) int { return strings.Compare(a.Name, b.Name) })
	return docs
}
