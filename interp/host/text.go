package host

import (
	"strings"
	"sync"
)

// maxText bounds the text of another program that goes into an error, in bytes.
const maxText = 4 << 10

// Clip shortens text of another program to 4 KiB, and replaces what could disturb
// a terminal.
func Clip(text string) string {
	if len(text) > maxText {
		text = text[:maxText] + "..."
	}
	return printable(text)
}

// tail keeps the last bytes written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
	cut bool
}

// tailSize is how much of what a worker wrote to its standard error goes into
// an error, in bytes.
const tailSize = 4 << 10

// Write never fails.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if extra := len(t.buf) - tailSize; extra > 0 {
		t.buf = append(t.buf[:0], t.buf[extra:]...)
		t.cut = true
	}
	return len(b), nil
}

// String returns the last words, fit to be printed.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := printable(string(t.buf))
	if t.cut {
		text = "..." + text
	}
	return strings.TrimSpace(text)
}

// printable replaces what could disturb a terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		if r == '\r' {
			return -1
		}
		if r < ' ' || r >= 0x7f && r < 0xa0 || r == 0xfffd {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
}
