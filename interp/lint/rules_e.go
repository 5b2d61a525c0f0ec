package lint

// environment are the rules Enn.
var environment = []*Rule{}
