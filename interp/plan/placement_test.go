package plan

import (
	"strings"
	"testing"
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
