package lint

// repetition are the rules Rnn.
var repetition = []*Rule{}
