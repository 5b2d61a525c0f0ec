package plan

import (
	"strings"
	"testing"

	"versus/drivers"
	"versus/dsl"
)

func TestPlacement(t *testing.T) {
	const hosts = `
host "local" "here" {}
host "local" "there" {}
host "netns" "near" {}
host "netns" "far" {}
link "modem" {
  between = [host.near, host.far]
  rate    = "56kbit/s"
}
`
	for _, c := range []struct {
		backend, place string
		want           string // part of the error; empty if none
		links          int
	}{
		{"a", "{ client = host.here, server = host.there }", "", 0},
		{"a", "{ client = host.near, server = host.near }", "", 0},
		{"a", "{ client = host.near, server = host.far }", "so that its roles can't be on different hosts: server is on far, client on near", 0},
		{"wide", "{ client = host.near, server = host.far }", "", 1},
		{"wide", "{ client = host.here, server = host.far }", "both hosts must be of kind netns", 0},
		{"wide", "{ server = host.far }", "both hosts must be of kind netns", 0},
		{"wide", "{ broker = host.far }", "has the roles server, client", 0},
	} {
		s := load(t, head+hosts+`
backend "wide" "wide" {}
test "rpc" "t" {
  backend = backend.`+c.backend+`
  place   = `+c.place+`
}`)
		p, diags := New(s, registry, Options{})
		if text := diags.Error(); diags.HasErrors() != (c.want != "") || !strings.Contains(text, c.want) {
			t.Errorf("%s %s: %q, want %q", c.backend, c.place, text, c.want)
		}
		if p == nil {
			continue
		}
		cell, err := p.Cell(0)
		if err != nil || len(cell.Links) != c.links {
			t.Errorf("%s: %d links, %v", c.place, len(cell.Links), err)
		}
	}
}

// A broker at the other end is a hop more, and the reply takes the way of the call.
func TestCrossings(t *testing.T) {
	near, far := &dsl.Host{Name: "near"}, &dsl.Host{Name: "far"}
	l := &dsl.Link{Between: []string{"near", "far"}}
	direct, hub := []string{"client", "server", "publisher", "subscriber"}, []string{"broker", "client", "server", "publisher", "subscriber"}
	for _, c := range []struct {
		pattern drivers.Pattern
		call    string
		roles   []string
		place   map[string]*dsl.Host
		want    [2]int
	}{
		{drivers.RPC, "", direct, map[string]*dsl.Host{"": far, "client": near}, [2]int{1, 1}},
		{drivers.RPC, "twoway", direct, map[string]*dsl.Host{"": far, "server": near}, [2]int{1, 1}},
		{drivers.RPC, "batch_oneway", direct, map[string]*dsl.Host{"": far, "server": near}, [2]int{0, 1}},
		{drivers.RPC, "", hub, map[string]*dsl.Host{"": near, "broker": far}, [2]int{2, 2}},
		{drivers.RPC, "", hub, map[string]*dsl.Host{"": far, "client": near}, [2]int{1, 1}},
		{drivers.PubSub, "", direct, map[string]*dsl.Host{"": far, "publisher": near}, [2]int{1, 0}},
		{drivers.PubSub, "", hub, map[string]*dsl.Host{"": near, "broker": far}, [2]int{1, 1}},
		{drivers.PubSub, "", hub, map[string]*dsl.Host{"": far}, [2]int{0, 0}},
		{drivers.PubSub, "", direct, nil, [2]int{0, 0}},
		{drivers.Log, "", direct, map[string]*dsl.Host{"": far, "client": near}, [2]int{0, 0}},
	} {
		cell := &Cell{Place: c.place, Workload: drivers.Workload{Pattern: c.pattern, Call: c.call}}
		if got := cell.Crossings(l, c.roles); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
