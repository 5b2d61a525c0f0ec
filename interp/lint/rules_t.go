package lint

// tables are the rules Tnn.
var tables = []*Rule{}
