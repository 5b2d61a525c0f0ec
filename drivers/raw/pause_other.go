//go:build !amd64

package raw

// pause tells the processor that this is a loop that waits; here nothing does.
func pause() {}
