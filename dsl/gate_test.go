package dsl

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGate(t *testing.T) {
	s := scenario(t, `
scenario "s" {}
backend "fast" "a" {}
methodology "m" {
  measure { duration = "1s" }
  gate {
    rate_error = 0.01
    negative   = 0
    fallback   = false
  }
}
defaults {
  backend     = backend.a
  methodology = methodology.m
}
test "rpc" "strict" {}
test "rpc" "own" {
  gate {
    late     = 0.02
    fallback = true
  }
}
expect "known" {
  finding  = "A07"
  test     = test.own
  where    = each.backend == backend.a
  severity = "info"
}
expect "no more" { finding = "none" }
`)
	for i, want := range []map[string]float64{{"rate_error": 0.01, "negative": 0, "fallback": 0}, {"late": 0.02}} {
		if diff := cmp.Diff(want, s.Tests[i].Methodology.Gate); diff != "" {
			t.Errorf("%s (-want +got):\n%s", s.Tests[i].Name, diff)
		}
	}
	if len(s.Expectations) != 0 || len(s.Findings) != 2 {
		t.Fatalf("%d expectations, %d findings", len(s.Expectations), len(s.Findings))
	}
	f := s.Findings[0]
	if f.Check != "A07" || f.Severity != "info" || f.Where == nil || !cmp.Equal(f.Tests, []string{"own"}) || s.Findings[1].Check != "none" {
		t.Errorf("%+v", f)
	}
}
