package lint

// repetition are the rules Rnn.
var repetition = []*Rule{r01, r02, r03, r04, r05, r06, r07, r08, r09, r10, r11, r12, r13, r14, r16, r17}
