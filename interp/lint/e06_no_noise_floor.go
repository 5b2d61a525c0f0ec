package lint

import (
	"slices"

	"versus/dsl"
)

var e06 = &Rule{
	ID: "E06", Slug: "no-noise-floor", Severity: Warning, Auto: true,
	What: "A comparison of backends that are measured here measures its baseline once: neither does the methodology ask for a noise floor, nor is the baseline, under another name, among the candidates (an A/A cell). " +
		"Recorded results, which can't be measured again, are not reported.",
	Why: "What comes out when a system is compared with itself is the smallest effect that can be believed: order, placement in memory and the state of the machine make it 1% here and 10% there. " +
		"It also shows whether intervals and verdicts are right where the answer is known.",
	Source:  "Abedi and Brecht 2017 (ICPE) and Bulej et al. 2020 (Duet benchmarking): A/A comparisons in shared environments; Laaber, Scheuner and Leitner 2019 (EMSE): A/A changes of 10% and more in clouds.",
	Example: "comparison \"vs_grpc\" {\n  baseline = { backend = backend.grpc }\n  value    = baseline.time_per_call / candidate.time_per_call\n}\n",
	Cure:    "methodology \"quick\" {\n  noise_floor = true\n}\n",
	Check:   noNoiseFloor,
}

func noNoiseFloor(p *Pass) {
	for _, c := range p.Scenario.Comparisons {
		ps := p.Pairs(c)
		named := ""
		again := false
		var tests []*dsl.Test // of the baselines
		for _, pair := range ps.All {
			if pair.Baseline == nil || !live(pair.Baseline) || !ps.pairing.Named("backend") {
				continue
			}
			named = pair.Baseline.Backend.Name
			if t := pair.Baseline.Test; !slices.Contains(tests, t) {
				tests = append(tests, t)
			}
			again = again || twins(pair.Baseline.Backend, pair.Candidate.Backend) || noiseFloor(pair.Baseline.Test)
		}
		if named == "" || again {
			continue
		}
		if ps.Cut {
			p.NotChecked(c.Range, "A test of this comparison has more than %d cells; whether the others measure the baseline twice was not looked at.", maxCells)
			continue
		}
		f := p.Report(c.Range, "Nothing shows how far apart two measurements of the same system come out here. Write noise_floor = true in the methodology; or declare backend.%s a second time, under another name with the same options, and add it to the axis backend.", named)
		p.addNoiseFloor(f, tests)
	}
}

// addNoiseFloor asks for a noise floor in the methodologies of tests, if each has
// one that may be changed.
func (p *Pass) addNoiseFloor(f *Finding, tests []*dsl.Test) {
	var homes []*dsl.Block
	for _, t := range tests {
		b := p.MethodologyBlock(t)
		if b == nil || !Editable(p.Scenario, b.Range.Filename) || b.Attr("noise_floor") != nil && !written(b.Attr("noise_floor")) {
			return
		}
		if !slices.Contains(homes, b) {
			homes = append(homes, b)
		}
	}
	for _, b := range homes {
		f.Set(b, "noise_floor", "true")
	}
}

// noiseFloor reports whether the baselines of a test are measured twice.
func noiseFloor(t *dsl.Test) bool { return t.Methodology != nil && t.Methodology.NoiseFloor }
