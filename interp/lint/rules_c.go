package lint

// clocks are the rules Cnn.
var clocks = []*Rule{}
