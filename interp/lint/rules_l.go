package lint

// load are the rules Lnn.
var load = []*Rule{l01, l02, l03, l04, l05, l08, l09, l11, l12, l14}
