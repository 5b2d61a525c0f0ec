package lint

// matrix are the rules Xnn.
var matrix = []*Rule{}
