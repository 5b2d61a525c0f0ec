package lint

// load are the rules Lnn.
var load = []*Rule{}
