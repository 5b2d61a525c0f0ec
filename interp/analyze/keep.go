package analyze

import "versus/dsl"

// keepFunc returns how many of n valid runs a keep rule keeps.
type keepFunc func(k dsl.Keep, n int) (int, error)

// keepCounts evaluates each keep rule once for each number of runs.
type keepCounts struct {
	scenario *dsl.Scenario
	known    map[keepCase]keepResult
}

type keepCase struct {
	rule dsl.Keep
	n    int
}

type keepResult struct {
	k   int
	err error
}

func (kc *keepCounts) of(k dsl.Keep, n int) (int, error) {
	at := keepCase{k, n}
	r, ok := kc.known[at]
	if !ok {
		if kc.known == nil {
			kc.known = map[keepCase]keepResult{}
		}
		r.k, r.err = kc.scenario.EvalKeep(k, n)
		kc.known[at] = r
	}
	return r.k, r.err
}
