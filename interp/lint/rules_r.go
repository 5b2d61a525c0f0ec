package lint

// repetition are the rules Rnn.
var repetition = []*Rule{r01, r02, r03, r04, r05, r06, r16}
