package protocol

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// Encoder writes messages. It is not safe for concurrent use.
type Encoder struct{ w io.Writer }

// NewEncoder returns an encoder that writes to w, one Write a message.
func NewEncoder(w io.Writer) *Encoder { return &Encoder{w} }

// Encode writes one message. It refuses what Line refuses.
func (e *Encoder) Encode(m Message) error {
	line, err := Line(m)
	if err == nil {
		_, err = e.w.Write(line)
	}
	return err
}

// Line is the line of a message, with its end. It refuses what the other end would
// refuse: a message that is not complete, or longer than MaxLine.
func Line(m Message) ([]byte, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	b, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("%s message: %w", m.Type, err)
	}
	if len(b) > MaxLine {
		return nil, fmt.Errorf("%s message of %d bytes: a line may have %d", m.Type, len(b), MaxLine)
	}
	return append(b, '\n'), nil
}

// Decoder reads messages. It is not safe for concurrent use.
type Decoder struct {
	lines *Lines
	err   error
}

// NewDecoder returns a decoder that reads from r, through a buffer.
func NewDecoder(r io.Reader) *Decoder { return &Decoder{lines: NewLines(r)} }

// Decode reads the next message. It returns io.EOF when the input ends after a
// whole line. After an error it returns only that error: whoever sends garbage once
// can't be trusted to be in step again.
func (d *Decoder) Decode() (m Message, err error) {
	if d.err != nil {
		return Message{}, d.err
	}
	line, err := d.lines.Next()
	if err == nil {
		m, err = Decode(line)
	}
	d.err = err
	return m, err
}

// Decode is the message in a line. Fields that it doesn't know are ignored, so that a
// newer peer may send more; everything else that is not a message of the protocol is an
// error which quotes the line's beginning.
func Decode(line []byte) (Message, error) {
	var m Message
	err := json.Unmarshal(line, &m)
	if err == nil {
		err = m.check()
	}
	if err != nil {
		return Message{}, fmt.Errorf("not a message of the worker protocol: %s: %w", excerpt(line), err)
	}
	return m, nil
}

// Lines reads the lines of either side, whatever they say.
type Lines struct {
	r    *bufio.Reader
	line []byte
}

// NewLines reads lines from r, through a buffer.
func NewLines(r io.Reader) *Lines { return &Lines{r: bufio.NewReaderSize(r, 64<<10)} }

// Next returns the next line without its end; it is valid until the next call. The
// error is io.EOF when the input ends after a whole line.
func (l *Lines) Next() ([]byte, error) {
	l.line = l.line[:0]
	for {
		part, err := l.r.ReadSlice('\n')
		if len(l.line)+len(part) > MaxLine+1 {
			return nil, fmt.Errorf("a line longer than %d bytes: %s", MaxLine, excerpt(append(l.line, part...)))
		}
		switch {
		case err == nil && len(l.line) == 0:
			return bytes.TrimSuffix(part, []byte("\n")), nil
		case err == nil:
			l.line = append(l.line, part...)
			return bytes.TrimSuffix(l.line, []byte("\n")), nil
		case errors.Is(err, bufio.ErrBufferFull):
			l.line = append(l.line, part...)
		case errors.Is(err, io.EOF) && len(l.line)+len(part) > 0:
			return nil, fmt.Errorf("the input ended in the middle of a line: %s", excerpt(append(l.line, part...)))
		default:
			return nil, err
		}
	}
}

// check reports whether the message has a known type and the field that it is
// there for.
func (m *Message) check() error {
	missing := ""
	switch m.Type {
	case TypeHello:
		if m.Protocol == 0 {
			missing = "protocol"
		}
	case TypePrepare:
		if m.Workload == nil {
			missing = "workload"
		}
	case TypeResult:
		if m.Result == nil {
			missing = "result"
		}
	case TypeError:
		if m.Error == "" {
			missing = "error"
		}
	case TypeReady, TypeWarmUp, TypeWarm, TypeMeasure, TypeMeasuring, TypeFinish, TypeStop:
	case "":
		return errors.New("it has no type")
	default:
		return fmt.Errorf("unknown type %s", excerpt([]byte(m.Type)))
	}
	if missing != "" {
		return fmt.Errorf("a %s message without %q", m.Type, missing)
	}
	return nil
}

// excerpt quotes the beginning of outside text, fit for a terminal.
func excerpt(b []byte) string {
	const most = 100
	if len(b) > most {
		return strconv.QuoteToASCII(string(b[:most])) + "..."
	}
	return strconv.QuoteToASCII(string(b))
}
