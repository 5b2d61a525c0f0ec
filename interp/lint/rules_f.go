package lint

// fairness are the rules Fnn.
var fairness = []*Rule{}
