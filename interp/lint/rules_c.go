package lint

// clocks are the rules Cnn.
var clocks = []*Rule{c01, c02, c04, c05, c06}
