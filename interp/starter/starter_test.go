package starter_test

import (
	"strings"
	"testing"

	"versus/drivers"
	"versus/drivers/all"
	"versus/dsl"
	"versus/interp/lint"
	"versus/interp/plan"
	"versus/interp/starter"
)

// TestWrite makes sure that what is written loads, plans, and has no finding,
// whatever is chosen, on machines of all sizes.
func TestWrite(t *testing.T) {
	reg := all.Registry()
	cfg := dsl.Config{Drivers: reg.Kinds()}
	choices := [][]string{{"grpc", "http"}, {"http", "grpc", "mqtt"}}
	for _, d := range reg {
		if d.Recorded == nil {
			choices = append(choices, []string{d.Name})
		}
	}
	for _, names := range choices {
		for _, m := range []starter.Machine{{CPUs: 1}, {CPUs: 2}, {CPUs: 16, Governor: "performance"}, {CPUs: 8, Governor: "powersave"}} {
			var chosen []drivers.Driver
			for _, n := range names {
				d, ok := reg.Find(n)
				if !ok {
					t.Fatalf("there is no driver %q", n)
				}
				chosen = append(chosen, d)
			}
			src, err := starter.Write("mine", chosen, m)
			if err != nil {
				t.Errorf("%v on %+v: %v", names, m, err)
				continue
			}
			s, diags := dsl.LoadSources("mine.hcl", map[string][]byte{"mine.hcl": src}, cfg)
			if diags.HasErrors() {
				t.Errorf("%v on %+v: %v\n%s", names, m, diags, src)
				continue
			}
			p, diags := plan.New(s, reg, plan.Options{})
			if diags.HasErrors() {
				t.Errorf("%v on %+v: %v\n%s", names, m, diags, src)
				continue
			}
			for _, f := range lint.Run(s, p, reg, lint.Rules()) {
				if !f.NotChecked && f.Severity != lint.Info && !(m.CPUs == 1 && f.Rule.ID == "E01") {
					t.Errorf("%v on %+v: %s %s\n%s", names, m, f.Rule.ID, f.Message, src)
				}
			}
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	rpc := drivers.Driver{Name: "r", Patterns: []drivers.Pattern{drivers.RPC}}
	pubsub := drivers.Driver{Name: "p", Patterns: []drivers.Pattern{drivers.PubSub}}
	if _, err := starter.Write("x", nil, starter.Machine{}); err == nil {
		t.Error("nothing chosen is no error")
	}
	if _, err := starter.Write("x", []drivers.Driver{rpc, pubsub}, starter.Machine{}); err == nil || !strings.Contains(err.Error(), "r has [rpc], p has [pubsub]") {
		t.Errorf("nothing in common: %v", err)
	}
	if _, err := starter.Write("x", []drivers.Driver{rpc, rpc}, starter.Machine{}); err == nil || !strings.Contains(err.Error(), "r is named twice") {
		t.Errorf("one driver twice: %v", err)
	}
	replay, _ := all.Registry().Find("replay")
	if _, err := starter.Write("x", []drivers.Driver{replay}, starter.Machine{}); err == nil || !strings.Contains(err.Error(), "plays recorded results") {
		t.Errorf("a driver that runs nothing: %v", err)
	}
}

// A driver with an option that must be one of several is compared over these.
func TestWriteWithARequiredOption(t *testing.T) {
	log, _ := all.Registry().Find("log")
	src, err := starter.Write("x", []drivers.Driver{log}, starter.Machine{CPUs: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`backend "log" "zap" {`, `library = "zap"`, `comparison "vs_slog"`, `test "log" "capacity"`} {
		if !strings.Contains(string(src), want) {
			t.Errorf("no %s in\n%s", want, src)
		}
	}
}
