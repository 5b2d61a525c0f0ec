package drivers_test

import (
	"slices"
	"strings"
	"testing"

	"versus/drivers"
)

func TestEventService(t *testing.T) {
	with := drivers.Driver{Name: "orb", Patterns: []drivers.Pattern{drivers.RPC, drivers.PubSub}, EventService: true}
	without := drivers.Driver{Name: "mqtt", Patterns: with.Patterns}
	for _, c := range []struct {
		driver  drivers.Driver
		pattern drivers.Pattern
		asked   bool
		want    string // "" is none
	}{
		{with, drivers.PubSub, true, ""},
		{with, drivers.PubSub, false, "set event_service = true"},
		{with, drivers.RPC, false, ""},
		{without, drivers.PubSub, false, ""},
		{without, drivers.PubSub, true, "has no event service"},
	} {
		err := c.driver.Verify(drivers.Workload{Pattern: c.pattern, EventService: c.asked})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s %v: got %v, want %q", c.driver.Name, c.pattern, c.asked, err, c.want)
		}
	}
}

func TestTexts(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"a", []string{"a", "a", "a", "a", "a"}},
		{"a\nb\n", []string{"a", "b", "a", "b", "a"}},
		{"a\n\n", []string{"a", "", "a", "", "a"}},
		{"", []string{"", "", "", "", ""}},
	} {
		if got := slices.Collect(drivers.Payload{Text: c.text, Count: 5}.Texts()); !slices.Equal(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}
