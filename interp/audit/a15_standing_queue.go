package audit

import "fmt"

var a15 = &Check{
	ID: "A15", Title: "Standing queue",
	What:      "The offered rate times the mean latency is the number of messages under way. Where many are, they stand in a queue, and the mean latency shows the length of that queue, which grows with the length of the run or is bounded by a buffer: it is no property of the backend.",
	Formula:   "L = lambda W, with the offered rate lambda of a topic and the mean latency W; and the bytes of all topics.",
	Tolerance: "Above 5 messages of a topic a warning, above 1000 an error.",
	Source:    "Little 1961. AimRT's tables between two hosts: mqtt with 2.28 s at 8 x 1 kHz, 18,253 messages under way.",
	Needs:     "it needs the declared rate and topics, and the mean latency",
	run: func(p *pass) {
		for _, r := range p.rows {
			v, ok := r.has("latency.mean")
			if !ok || !r.oneway() || r.rate <= 0 {
				continue
			}
			p.saw(r)
			queue := r.rate * v[0]
			if queue <= 5 {
				continue
			}
			s := Warning
			if queue > 1000 {
				s = Error
			}
			all := ""
			if r.topics > 1 {
				all = fmt.Sprintf(", %.5g in all %s topics", queue*r.topics, num(r.topics))
			}
			if r.size > 0 {
				all += ", " + bytes(queue*r.topics*r.size)
			}
			p.report(s, []*row{r}, "lambda W = %s/s x %s = %.5g messages of a topic under way%s: the mean is that of a queue.", num(r.rate), span(v[0]), queue, all)
		}
	},
}
