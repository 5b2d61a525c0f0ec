package lint

// fairness are the rules Fnn.
var fairness = []*Rule{f01, f03, f04, f06, f07, f09, f10}
