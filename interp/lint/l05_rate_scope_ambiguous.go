package lint

import (
	"fmt"
	"regexp"
	"slices"

	"versus/dsl"
	"versus/interp/plan"
)

var l05 = &Rule{
	ID: "L05", Slug: "rate-scope-ambiguous", Severity: Warning, Auto: true,
	What: "A test at a rate has several callers or topics, and no title, heading or column of the report says whether the rate is of each or of all together. " +
		"In the scenario it is never in doubt: `rate` is of each caller or topic. Words such as \"each\", \"per topic\", \"a caller\" or \"in all\" say so to the reader, and so does a column of rate.offered, rate.achieved or throughput.rate, which are of all together. It is an information where no text of the report names a rate.",
	Why:     "\"1 kHz\" with 8 topics is 8,000 messages a second, or 1,000: a factor of eight in the load, and the reader can't tell which.",
	Source:  "AimRT 0.8: channel_frequency = 1 kHz, topic number 8.",
	Example: "test \"pubsub\" \"topics\" {\n  title  = \"1 kHz\"\n  rate   = \"1kHz\"\n  topics = 8\n}\n",
	Cure:    "test \"pubsub\" \"topics\" {\n  title  = \"1 kHz on each topic\"\n  rate   = \"1kHz\"\n  topics = 8\n}\n",
	Check: func(p *Pass) {
		for _, t := range p.Live() {
			p.rateScope(t)
		}
	},
}

var (
	// eachWords say that a rate is of each: "each of 4 callers", "per topic", "1 kHz a topic".
	eachWords  = regexp.MustCompile(`(?i)(\b(each|every|per)[ -](\w+[ -]){0,3}?|\ba |/ ?)(topic|caller|connection|client|publisher)s?\b|(Hz|/s|second) each\b`)
	totalWords = regexp.MustCompile(`(?i)\b(all (topics|callers|connections|clients|publishers)|in all|in total|total|together|altogether|overall|aggregated?|combined)\b`)
	rateWords  = regexp.MustCompile(`(?i)\d\s*[kM]?(Hz|/s|qps|rps)\b|\b(calls|messages|requests|publications)\s+(a|per|each)\s+second\b|\brate\b`)
)

func (p *Pass) rateScope(t *dsl.Test) {
	var many *plan.Cell
	all := p.Cells(t, func(c *plan.Cell) bool {
		if c.Workload.Rate > 0 && lanes(c) > 1 && (many == nil || lanes(c) > lanes(many)) {
			many = c
		}
		return true
	})
	at := placeOfArgument(t, "rate")
	switch {
	case many == nil && !all:
		p.NotChecked(at, "The test has more than %d cells; whether others have several %ss was not looked at.", maxCells, lane(t))
		return
	case many == nil, slices.ContainsFunc(p.UsesOf(t), showsTotal):
		return
	}
	named := false
	for _, text := range p.readOf(t) {
		if eachWords.MatchString(text) || totalWords.MatchString(text) {
			return
		}
		named = named || rateWords.MatchString(text)
	}
	f := p.Report(at, "The rate is of each %s: with %d of them, %.4g/s is %.4g/s in all, and nothing in the report says which is meant. Say \"each %s\" in the title, or show rate.offered, which is the total.",
		lane(t), lanes(many), many.Workload.Rate, many.Offered(), lane(t))
	if !named {
		f.As(Info)
	}
	for _, table := range p.tablesOf(t) {
		if b := p.block(table.Range); table.Cell == nil && b != nil && Editable(p.Scenario, b.Range.Filename) {
			f.Insert(b, fmt.Sprintf("column \"offered, all %ss together (1/s)\" { value = rate.offered }", lane(t)))
		}
	}
}

// showsTotal reports whether a use shows a rate over all callers or topics.
func showsTotal(u Use) bool {
	return u.Compared == nil && slices.Contains([]string{"rate.offered", "rate.achieved", "throughput.rate"}, u.Metric.Name)
}

// tablesOf are the tables that show a test.
func (p *Pass) tablesOf(t *dsl.Test) []*dsl.Table {
	return slices.DeleteFunc(slices.Clone(p.Scenario.Tables), func(table *dsl.Table) bool {
		return len(table.Tests) > 0 && !slices.Contains(table.Tests, t.Name)
	})
}

// readOf are the texts of a report that speak of a test.
func (p *Pass) readOf(t *dsl.Test) []string {
	texts := []string{p.Scenario.Title, p.Scenario.Description, t.Title, t.Group}
	for _, table := range p.tablesOf(t) {
		texts = append(texts, table.Title)
		for _, col := range p.columns(table) {
			texts = append(texts, col.text.words)
		}
	}
	return texts
}
