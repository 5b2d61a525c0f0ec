package dsl

import "testing"

func TestTermsOfALink(t *testing.T) {
	for want, l := range map[string]*Link{
		"no limits":                            {},
		"56kbit/s":                             {Rate: 56e3},
		"delay 50ms":                           {Delay: 0.05},
		"1Mbit/s, delay 50ms +-5ms, loss 0.1%": {Rate: 1e6, Delay: 0.05, Jitter: 0.005, Loss: 0.001},
		"loss 20%, via relay":                  {Loss: 0.2, Via: ViaRelay},
	} {
		if got := l.Terms(); got != want {
			t.Errorf("%+v: %q, want %q", *l, got, want)
		}
	}
}
