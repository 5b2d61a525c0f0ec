package lint

// environment are the rules Enn.
var environment = []*Rule{e01, e03, e05, e06}
