package lint

import (
	"compress/flate"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/hashicorp/hcl/v2"

	"versus/drivers"
	"versus/dsl"
	"versus/interp/plan"
)

var f07 = &Rule{
	ID: "F07", Slug: "payload-compressibility", Severity: Error,
	What: "Messages are compressed, and the payload is not like real messages: `bytes(SIZE)`, which is random and does not shrink at all; equal structs or a repeated text, which shrink to almost nothing. " +
		"A text is compressed when it is checked: reported are those that shrink to less than a twentieth, or by less than a twentieth. Without compression no payload is reported.",
	Why:     "The result is the property of the payload: compression then costs its time for nothing, or carries everything for nothing.",
	Source:  "AimRT 0.8: its logger benchmark repeats \"0123456789\", which compresses to nothing; its RPC benchmark draws from [A-Za-z0-9], 5.954 bits a byte.",
	Example: "backend \"grpc\" \"small\" {\n  compression = \"gzip\"\n}\n\ntest \"rpc\" \"capacity\" {\n  backend = backend.small\n  payload = bytes(\"64KiB\")\n}\n",
	Cure:    "backend \"grpc\" \"small\" {\n  compression = \"gzip\"\n}\n\ntest \"rpc\" \"capacity\" {\n  backend = backend.small\n  payload = lines(file(\"messages.txt\"))\n}\n",
	Check:   payloadCompressibility,
}

// maxCompressed bounds what is compressed of one text.
const maxCompressed = 1 << 20

var (
	compressing = regexp.MustCompile(`compress|^gzip$|^deflate$|^zstd$|^snappy$|^lz4$`)
	turnedOff   = regexp.MustCompile(`(?i)^(nothing|false|0|"(none|off|no|identity|)")$`)
)

func payloadCompressibility(p *Pass) {
	judged := map[drivers.Payload]string{} // why it is unlike real messages
	for _, t := range p.Live() {
		all := p.Cells(t, func(c *plan.Cell) bool {
			option := compressionOf(c.Backend)
			if option == "" {
				return true
			}
			why, known := judged[c.Workload.Payload]
			if !known {
				why = unlikeMessages(c.Workload.Payload)
				judged[c.Workload.Payload] = why
			}
			if why != "" {
				p.Report(p.payloadAt(t), "Backend %s compresses (%s), and %s. Send messages like those in use: lines(file(\"messages.txt\")).", c.Backend.Name, option, why)
			}
			return true
		})
		if !all && slices.ContainsFunc(p.Scenario.Backends, func(b *dsl.Backend) bool { return compressionOf(b) != "" }) {
			p.NotChecked(t.Range, "The test has more than %d cells; the payloads of the others were not looked at.", maxCells)
		}
	}
}

// compressionOf is the option by which a backend compresses, "" if it does not.
func compressionOf(b *dsl.Backend) string {
	for _, name := range slices.Sorted(maps.Keys(b.Options)) {
		if value := text(b.Options[name]); compressing.MatchString(name) && !turnedOff.MatchString(value) {
			return name + " = " + value
		}
	}
	return ""
}

func unlikeMessages(l drivers.Payload) string {
	switch l.Kind {
	case "structs", "lines":
		if l.Kind == "structs" && len(l.Lines()) == 1 {
			return fmt.Sprintf("its payload is %d equal structs, which shrink to almost nothing", l.Count)
		}
		text := l.Text[:min(len(l.Text), maxCompressed)]
		var size counter
		w, _ := flate.NewWriter(&size, flate.DefaultCompression) // the level is valid
		w.Write([]byte(text))
		w.Close()
		share := float64(size) / float64(len(text))
		switch {
		case len(text) < 64: // the overhead of the format decides
		case share < 0.05:
			return fmt.Sprintf("its text shrinks to %.1f%%", share*100)
		case share > 0.95:
			return fmt.Sprintf("its text shrinks only to %.0f%%", share*100)
		}
	case "bytes":
		if l.Bytes > 0 {
			return "bytes() is random, which does not shrink at all"
		}
	}
	return ""
}

// counter counts what is written to it.
type counter int

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// payloadAt is where the payload of a test is written, else the test's header.
func (p *Pass) payloadAt(t *dsl.Test) hcl.Range {
	if e := t.Args["payload"]; e != nil {
		return e.Range()
	}
	return t.Range
}
