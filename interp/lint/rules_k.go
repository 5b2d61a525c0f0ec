package lint

// comparisons are the rules Knn.
var comparisons = []*Rule{k01, k02, k03, k04, k05, k06, k07, k09, k10, k11, k12}
