package lint_test

import (
	"strings"
	"testing"

	"versus/dsl"
	"versus/interp/lint"
	"versus/interp/plan"
)

// With a broker at the other end, each message passes a link twice one way.
func TestLoadOfALinkWithABroker(t *testing.T) {
	const scenario = `scenario "s" {}
host "netns" "near" {}
host "netns" "far" {}
link "modem" {
  between = [host.near, host.far]
  rate    = "56kbit/s"
}
backend "mqtt" "mqtt" {}
test "rpc" "t" {
  measure { duration = "10s" }
  payload = bytes(1000)
  rate    = "3/s"
  host    = host.near
  place   = { PLACE }
  sweep { backend = [backend.mqtt] }
}
`
	for place, want := range map[string]string{
		"server = host.far, broker = host.far": "", // 26 kbit/s
		"broker = host.far":                    `sends 51.7 kbit/s one way, headers included, over link "modem" of 56 kbit/s, 92% of it`,
	} {
		src := strings.Replace(scenario, "PLACE", place, 1)
		s, diags := dsl.LoadSources("s.hcl", map[string][]byte{"s.hcl": []byte(src)}, config())
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		p, diags := plan.New(s, registry, plan.Options{})
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		said := ""
		for _, f := range lint.Run(s, p, registry, lint.Rules()) {
			if f.Rule.ID == "L04" && !f.NotChecked {
				said += f.Message
			}
		}
		if (said == "") != (want == "") || !strings.Contains(said, want) {
			t.Errorf("%s: %q, want %q", place, said, want)
		}
	}
}
