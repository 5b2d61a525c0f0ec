package dsl

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCPUList(t *testing.T) {
	for text, want := range map[string][]int{
		"0":                      {0},
		"6, 0-2,1":               {0, 1, 2, 6},
		"4095":                   {4095},
		"":                       nil,
		"4096":                   nil,
		"3-1":                    nil,
		"-1":                     nil,
		"0-":                     nil,
		"0-99999999999999999999": nil,
		"a":                      nil,
	} {
		got, err := CPUList(text)
		if d := cmp.Diff(want, got); d != "" || (err == nil) != (want != nil) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	if got, err := CPUList(strings.Repeat("0-4095,", 1000) + "1"); len(got) != 4096 || err != nil {
		t.Errorf("the same a thousand times: %d, %v", len(got), err)
	}
}
