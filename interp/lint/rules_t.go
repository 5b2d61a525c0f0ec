package lint

// tables are the rules Tnn.
var tables = []*Rule{t01, t02, t03, t10}
