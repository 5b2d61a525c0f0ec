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

// Encode writes one message. It refuses what the other end would refuse: a
// message that is not complete, or longer than MaxLine.
func (e *Encoder) Encode(m Message) error {
	if err := m.check(); err != nil {
		return err
	}
	b, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("%s message: %w", m.Type, err)
	}
	if len(b) > MaxLine {
		return fmt.Errorf("%s message of %d bytes: a line may have %d", m.Type, len(b), MaxLine)
	}
	_, err = e.w.Write(append(b, '\n'))
	return err
}

// Decoder reads messages. It is not safe for concurrent use.
type Decoder struct {
	r    *bufio.Reader
	line []byte
	err  error
}

// NewDecoder returns a decoder that reads from r, through a buffer.
func NewDecoder(r io.Reader) *Decoder {
	return &Decoder{r: bufio.NewReaderSize(r, 64<<10)}
}

// Decode reads the next message. It returns io.EOF when the input ends after a
// whole line. Fields that it doesn't know are ignored, so that a newer peer may
// send more; everything else that is not a message of the protocol is an error
// which quotes the line's beginning. After an error it returns only that error:
// whoever sends garbage once can't be trusted to be in step again.
func (d *Decoder) Decode() (Message, error) {
	if d.err != nil {
		return Message{}, d.err
	}
	m, err := d.decode()
	d.err = err
	return m, err
}

func (d *Decoder) decode() (Message, error) {
	line, err := d.readLine()
	if err != nil {
		return Message{}, err
	}
	var m Message
	if err := json.Unmarshal(line, &m); err != nil {
		return Message{}, fmt.Errorf("not a message of the worker protocol: %s: %w", excerpt(line), err)
	}
	if err := m.check(); err != nil {
		return Message{}, fmt.Errorf("not a message of the worker protocol: %s: %w", excerpt(line), err)
	}
	return m, nil
}

// readLine returns the next line without its end; it is valid until the next call.
func (d *Decoder) readLine() ([]byte, error) {
	d.line = d.line[:0]
	for {
		part, err := d.r.ReadSlice('\n')
		if len(d.line)+len(part) > MaxLine+1 {
			return nil, fmt.Errorf("a line longer than %d bytes: %s", MaxLine, excerpt(append(d.line, part...)))
		}
		switch {
		case err == nil && len(d.line) == 0:
			return bytes.TrimSuffix(part, []byte("\n")), nil
		case err == nil:
			d.line = append(d.line, part...)
			return bytes.TrimSuffix(d.line, []byte("\n")), nil
		case errors.Is(err, bufio.ErrBufferFull):
			d.line = append(d.line, part...)
		case errors.Is(err, io.EOF) && len(d.line)+len(part) > 0:
			return nil, fmt.Errorf("the input ended in the middle of a line: %s", excerpt(append(d.line, part...)))
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
