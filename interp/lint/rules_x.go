package lint

// matrix are the rules Xnn.
var matrix = []*Rule{x01, x02, x04, x05, x06, x08, x09}
