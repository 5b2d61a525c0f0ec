// Package dsl is the scenario language: it reads scenario files, checks
// everything that can be checked before anything runs, and returns a typed
// Scenario whose remaining expressions are known to be sound.
//
// The road through the package: Load reads files and imports (load.go), refuses
// what would hurt the parser (limits.go), decodes blocks by the schema
// (language.go, decode.go), resolves every name (refs.go), evaluates the
// arguments of load time in the order of their dependencies (scope.go), and
// builds the Scenario (build.go). Expressions of later times are evaluated
// through EvalCell and EvalResult (eval.go), the only places where numbers
// leave cty, or compiled to plain arithmetic (formula.go).
//
// It plans nothing, runs nothing and knows no driver: their options reach it
// as data in Config.
package dsl
