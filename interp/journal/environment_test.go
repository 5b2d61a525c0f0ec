package journal

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSettingChanges(t *testing.T) {
	was := &Environment{Cores: 4, Governor: "performance", Turbo: "off", SMT: "on", HugePages: "madvise", Clock: "tsc"}
	for _, c := range []struct {
		name string
		now  Environment
		want []string
	}{
		{"nothing", *was, nil},
		{"a result of an older version", Environment{Cores: 4, Governor: "performance", Clock: "tsc"}, nil},
		{"all", Environment{Cores: 2, CPULimit: 1.5, Governor: "powersave", Turbo: "on", SMT: "off", HugePages: "always", Clock: "hpet"}, []string{
			"cores: 4 -> 2", "limit of CPU time: none -> 1.5 CPUs", "frequency governor: performance -> powersave", "turbo: off -> on",
			"hyper-threading: on -> off", "transparent huge pages: madvise -> always", "clock source: tsc -> hpet",
		}},
	} {
		if d := cmp.Diff(c.want, was.SettingChanges(&c.now)); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

func TestConditionsAreChecked(t *testing.T) {
	ok := Run{Cell: "a", Status: Failed, Error: "x"}
	if err := ok.Check(); err != nil {
		t.Fatal(err)
	}
	ok.Conditions = &Conditions{Others: -0.01, Stolen: 0.5, Changed: []string{"turbo: off -> on"}}
	if err := ok.Check(); err != nil {
		t.Error(err)
	}
	for _, k := range []*Conditions{
		{Changed: make([]string, maxChanged+1)},
		{Changed: []string{"\xff"}},
	} {
		bad := ok
		bad.Conditions = k
		if bad.Check() == nil {
			t.Errorf("%+v is taken", k)
		}
	}
}
