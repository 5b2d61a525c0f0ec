package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"versus/interp/journal"
	"versus/interp/plan"
)

// shardName is the value of --shard: which part of a plan, counted from 1. The
// zero value is the whole plan.
type shardName struct{ number, of int }

// Set reads i/n. What stands there often comes from the environment of a batch
// system, and is then not what its user sees: errors say what to write instead.
func (s *shardName) Set(text string) error {
	first, second, ok := strings.Cut(text, "/")
	number, err := strconv.ParseUint(first, 10, 32)
	of, errOf := strconv.ParseUint(second, 10, 32)
	switch {
	case !ok || first != "" && err != nil || errOf != nil:
		return fmt.Errorf("write i/n, such as 1/8: the first of eight shards")
	case first == "":
		return fmt.Errorf("the number before the / is missing. If it comes from a variable of a batch system, that one is not set here")
	case of < 1 || of > plan.MaxShards:
		return fmt.Errorf("a plan has 1 to %d shards", plan.MaxShards)
	case number == 0:
		return fmt.Errorf("shards count from 1: 1/%d to %d/%d. JOB_COMPLETION_INDEX of Kubernetes counts from 0: write $((JOB_COMPLETION_INDEX + 1))/%d", of, of, of, of)
	case number > of:
		return fmt.Errorf("of %d shards there is none with the number %d", of, number)
	}
	*s = shardName{int(number), int(of)}
	return nil
}

func (s *shardName) String() string {
	if s.of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.number, s.of)
}

// find returns the shard of the plan, nil for the whole plan.
func (s *shardName) find(p *plan.Plan) (*plan.Shard, error) {
	if s.of == 0 {
		return nil, nil
	}
	shards, err := p.Split(s.of)
	if err != nil {
		return nil, err
	}
	return shards[s.number-1], nil
}

// recordOf is a shard as a journal has it, nil for the whole plan.
func recordOf(s *plan.Shard) *journal.Shard {
	if s == nil {
		return nil
	}
	return &journal.Shard{Number: s.Number, Of: s.Of, Cells: s.Cells, Runs: s.Runs()}
}

// shardDone says what was done of a shard.
func (a *app) shardDone(m *measurement) int {
	content, err := journal.Read(m.dir)
	if err != nil {
		return a.fail("%v", err)
	}
	if m.shard.Cells == 0 {
		fmt.Fprintf(a.out, "shard %d/%d: %s\n", m.shard.Number, m.shard.Of, sizeOf(m.shard, false))
		return exitOK
	}
	n := map[journal.Status]int{}
	for _, r := range content.Runs {
		n[r.Status]++
	}
	fmt.Fprintf(a.out, "shard %d/%d: %s; of %s, %d ok, %d failed, %d skipped\n", m.shard.Number, m.shard.Of,
		count(m.shard.Cells, "cell"), count(len(content.Runs), "run"), n[journal.OK], n[journal.Failed], n[journal.Skipped])
	if n[journal.Failed] > 0 {
		return exitRun
	}
	return exitOK
}

// shardJSON is a shard as `versus plan --format json` writes it.
type shardJSON struct {
	Number  int `json:"number"`
	Of      int `json:"of"`
	Bundles int `json:"bundles"` // sets of cells that stay together
	Runs    int `json:"runs"`
	// Seconds and UnknownRuns are as in the summary of a plan.
	Seconds     float64  `json:"seconds"`
	UnknownRuns int      `json:"unknown_runs,omitempty"`
	Cells       []string `json:"cells"`
}

// printShards prints how the plan is split into n shards.
func (a *app) printShards(p *plan.Plan, n int) error {
	shards, err := p.Split(n)
	if err != nil {
		return err
	}
	if a.format == "json" {
		list := []shardJSON{}
		for _, s := range shards {
			j, err := jsonOf(p, s)
			if err != nil {
				return err
			}
			list = append(list, j)
		}
		return json.NewEncoder(a.out).Encode(map[string]any{"shards": list})
	}
	atMost := p.Summary().AtMost
	bundles := 0
	for _, s := range shards {
		fmt.Fprintf(a.out, "shard %d/%d: %s\n", s.Number, s.Of, sizeOf(s, atMost))
		bundles += s.Bundles
	}
	fmt.Fprintf(a.out, "\nCells that a comparison pairs stay together: %s are dealt out.\n", count(bundles, "set"))
	return nil
}

// sizeOf says how much a shard has to do.
func sizeOf(s *plan.Shard, atMost bool) string {
	if s.Cells == 0 {
		return "empty, since there are more shards than sets of cells to deal out"
	}
	known, unknown := s.Estimate()
	return fmt.Sprintf("%s, %s, %s", count(s.Cells, "cell"), count(s.Runs(), "run"),
		duration(plan.Summary{Runs: s.Runs(), Seconds: known.Seconds(), UnknownRuns: unknown, AtMost: atMost}))
}

// printShard prints what one shard of the plan has.
func (a *app) printShard(p *plan.Plan, s *plan.Shard) error {
	j, err := jsonOf(p, s)
	if err != nil {
		return err
	}
	if a.format == "json" {
		return json.NewEncoder(a.out).Encode(j)
	}
	fmt.Fprintf(a.out, "%s, shard %d/%d: %s\n", p.Summary().Scenario, s.Number, s.Of, sizeOf(s, p.Summary().AtMost))
	for _, key := range j.Cells {
		fmt.Fprintf(a.out, "  %s\n", key)
	}
	return nil
}

func jsonOf(p *plan.Plan, s *plan.Shard) (shardJSON, error) {
	known, unknown := s.Estimate()
	j := shardJSON{Number: s.Number, Of: s.Of, Bundles: s.Bundles, Runs: s.Runs(), Seconds: known.Seconds(), UnknownRuns: unknown, Cells: []string{}}
	for i := range p.Cells() {
		if !s.Has(i) {
			continue
		}
		c, err := p.Cell(i)
		if err != nil {
			return j, err
		}
		j.Cells = append(j.Cells, c.Key)
	}
	return j, nil
}
