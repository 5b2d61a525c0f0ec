package functions

import (
	"strings"

	"github.com/zclconf/go-cty/cty"

	"versus/stdlib/units"
)

// PayloadType is the type of every payload: kind is "bytes", "lines" or
// "structs"; bytes is the size of one message's content; count the number of
// lines or structs in it; text the lines, or the text field of each struct;
// value the number field of each struct.
var PayloadType = cty.Object(map[string]cty.Type{
	"kind": cty.String, "bytes": cty.Number, "count": cty.Number, "text": cty.String, "value": cty.Number,
})

const (
	maxMessage = 1 << 30 // bytes of content in one message
	numberSize = 8       // bytes that the number field of a struct counts for
)

var payloads = map[string]entry{
	"bytes": {"bytes(size)", `bytes("4KiB").bytes`, "4096",
		define(PayloadType, "A payload of so many bytes, up to 1 GiB.",
			params{param("size", cty.DynamicPseudoType, `A text such as "4MiB", or a number of bytes.`)}, nil, bytesPayload)},
	"lines": {"lines(text)", `lines("one\ntwo\n").count`, "2",
		define(PayloadType, "A payload of lines of text, sent as a sequence of strings.",
			params{param("text", cty.String, "Text; each line of it is one element.")}, nil, linesPayload)},
	"structs": {"structs(n, { text, value })", `structs(100, { text = "hello", value = 3.14 }).count`, "100",
		define(PayloadType, "A payload of n structs, each with a text and a number field. Of a text of several lines, each struct has the next one in turn. Its size counts the texts and 8 bytes for each number.",
			params{param("n", cty.Number, "How many structs in a message, 1 or more."),
				param("fields", cty.Object(map[string]cty.Type{"text": cty.String, "value": cty.Number}), "The two fields of each struct.")},
			nil, structsPayload)},
}

func payload(kind string, bytes, count int, text string, value cty.Value) cty.Value {
	return cty.ObjectVal(map[string]cty.Value{
		"kind": cty.StringVal(kind), "bytes": cty.NumberIntVal(int64(bytes)), "count": cty.NumberIntVal(int64(count)),
		"text": cty.StringVal(text), "value": value,
	})
}

func bytesPayload(args []cty.Value) (cty.Value, error) {
	n, err := readQuantity(args, 0, units.Size)
	if err != nil {
		return cty.NilVal, err
	}
	if n > maxMessage {
		return cty.NilVal, argErrorf(0, "a message of %s is above the limit of 1GiB", units.FormatSize(n))
	}
	if n != float64(int(n)) {
		return cty.NilVal, argErrorf(0, "must be a whole number of bytes, not %g", n)
	}
	return payload("bytes", int(n), 0, "", cty.Zero), nil
}

func linesPayload(args []cty.Value) (cty.Value, error) {
	text := args[0].AsString()
	if text == "" {
		return cty.NilVal, argErrorf(0, "the text is empty: there is no line to send")
	}
	n := strings.Count(text, "\n")
	if !strings.HasSuffix(text, "\n") {
		n++
	}
	return payload("lines", len(text), n, text, cty.Zero), nil
}

func structsPayload(args []cty.Value) (cty.Value, error) {
	text, value := args[1].GetAttr("text"), args[1].GetAttr("value")
	if text.IsNull() || value.IsNull() {
		return cty.NilVal, argErrorf(1, "text and value must not be null")
	}
	lines := strings.Split(strings.TrimSuffix(text.AsString(), "\n"), "\n")
	each := numberSize
	for _, l := range lines {
		each = max(each, len(l)+numberSize)
	}
	n, err := whole(args, 0, 1, maxMessage)
	if err != nil {
		return cty.NilVal, err
	}
	if n > maxMessage/each {
		return cty.NilVal, argErrorf(0, "%d structs of %d bytes are above the limit of 1GiB", n, each)
	}
	size := n * numberSize
	for i, l := range lines {
		size += len(l) * ((n - i + len(lines) - 1) / len(lines)) // as often as it comes
	}
	return payload("structs", size, n, text.AsString(), value), nil
}
