package lint

// comparisons are the rules Knn.
var comparisons = []*Rule{}
