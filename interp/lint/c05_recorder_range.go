package lint

import (
	"versus/drivers/protocol"
	"versus/dsl"
)

var c05 = &Rule{
	ID: "C05", Slug: "recorder-range", Severity: Error, Auto: true,
	What: "A methodology lets a call take longer than the recorder reaches: its timeout is above one hour. " +
		"The recorder itself can't be set: it counts 64 bits of nanoseconds, from 1 ns to 1 h; what is longer is counted, and remarked on.",
	Why: "What is beyond the range of a histogram is lost or clamped, and exactly the worst values are. Means and maxima are exact here, but a percentile would be the end of the range. " +
		"hdrhistogram-go returns an error for such a value, which is easily dropped; 32 bits of nanoseconds begin anew after 4.294967296 s.",
	Source:  "hdrhistogram-go. AimRT keeps uint32_t nanoseconds: a published maximum of 4.2893 s is 99.87% of 2^32 ns.",
	Example: "methodology \"soak\" {\n  timeout = \"2h\"\n}\n",
	Cure:    "methodology \"soak\" {\n  timeout = \"1h\"\n}\n",
	Check:   recorderRange,
}

func recorderRange(p *Pass) {
	const reach = float64(protocol.MaxTrackable) * 1e-9
	for _, s := range p.measured(func(t *dsl.Test) *dsl.Block { return p.MethodologyBlock(t) }) {
		t := s.tests[0]
		if s.block == nil || t.Methodology.Timeout <= reach {
			continue
		}
		a := s.block.Attr("timeout")
		f := p.Report(p.argumentAt(s.block, "timeout", t), "A call may take %s, and the recorder of latencies reaches %s: a percentile beyond that would be the end of its range. Make the timeout an hour or less.",
			seconds(t.Methodology.Timeout), seconds(reach))
		if written(a) {
			f.Edit(a.Expr.Range(), `"1h"`)
		}
	}
}
