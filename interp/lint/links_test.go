package lint_test

import (
	"strings"
	"testing"

	"versus/dsl"
	"versus/interp/lint"
	"versus/interp/plan"
)

// With a broker at the other end each message passes a link twice one way, and
// delay bounds the calls in flight.
func TestCallsOverALink(t *testing.T) {
	const scenario = `scenario "s" {}
host "netns" "near" {}
host "netns" "far" {}
link "modem" {
  between = [host.near, host.far]
  LIMIT
}
backend "DRIVER" "b" {}
test "rpc" "t" {
  measure { duration = "10s" }
  payload = bytes(1000)
  host    = host.near
  place   = { PLACE }
  RATE
  sweep { backend = [backend.b] }
}
`
	const slow, late = `rate = "56kbit/s"`, `delay = "50ms"`
	const beside, behind = "server = host.far, broker = host.far", "broker = host.far"
	const oneway = "rate = \"2000/s\"\n  call = \"oneway\""
	for _, c := range []struct{ driver, limit, place, rate, want string }{
		{"mqtt", slow, beside, `rate = "3/s"`, ""}, // 26 kbit/s
		{"mqtt", slow, behind, `rate = "3/s"`, `sends 51.7 kbit/s one way, headers included, over link "modem" of 56 kbit/s, 92% of it`},
		{"mqtt", slow, behind, `rate = "4/s"`, `sends 69 kbit/s one way, headers included, over link "modem" of 56 kbit/s: the queue grows`},
		{"mqtt", late, beside, `rate = "160/s"`, ""},
		{"mqtt", late, beside, `rate = "170/s"`, "calls 170 times a second, but over link \"modem\", with a delay of 50 ms each way, an answer takes so long that 16 calls in flight allow only 160."},
		{"mqtt", late, beside, "rate = \"170/s\"\n  in_flight = 17", ""},
		{"mqtt", late, behind, `rate = "81/s"`, "allow only 80."},
		{"mqtt", late, behind, "concurrency = 4", ""},  // a closed loop
		{"ice", late, "server = host.far", oneway, ""}, // no answer is waited for
		{"ice", late, "server = host.far", `rate = "2000/s"`, "allow only 160."},
	} {
		src := strings.NewReplacer("DRIVER", c.driver, "LIMIT", c.limit, "PLACE", c.place, "RATE", c.rate).Replace(scenario)
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
		if (said == "") != (c.want == "") || !strings.Contains(said, c.want) {
			t.Errorf("%+v: %q", c, said)
		}
	}
}
