package host

import (
	"bufio"
	"strings"
	"testing"
)

func TestCommandsThatGiveNone(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"a terminal":    {`"$@" | sed -u 's/$/\r/'`, "there is a terminal in between"},
		"another one":   {`echo versus -placed 1; exec cat`, `the versus there is of another version: it says "versus -placed 1"`},
		"endless words": {`exec yes "Welcome to box 7!"`, "no versus answers in the first 65536 bytes"},
		"no versus":     {`exec /no/such/versus "$@"`, "not found"},
		"silence":       {`exit 0`, "sh ended"},
		"garbage":       {`printf '\n` + greeting + `\n{"clock":-1,"machine":'; head -c 2000000 /dev/zero; exec cat >/dev/null`, "longer than"},
		"no JSON":       {`printf '\n` + greeting + `\nhello\n'; exec cat >/dev/null`, `it says "hello"`},
		"no machine":    {`printf '\n` + greeting + `\n{}\n'; exec cat >/dev/null`, "does not say what the machine is"},
		"other build":   {`printf '\n` + greeting + `\n{"machine":{"versus":"0123456789abcdef01"}}\n'; exec cat >/dev/null`, "has another build of versus (SHA-256 0123456789abcdef, here "},
	} {
		t.Run(name, func(t *testing.T) {
			h := pipe("far")
			h.Command = []string{"sh", "-c", c.script, "sh"}
			_, err := hosts(t).Prepare(t.Context(), placed(h), roles[1:])
			if err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 2000 {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// FuzzGreeting feeds what a host may say before versus does: it is skipped, or an
// error, and never held whole.
func FuzzGreeting(f *testing.F) {
	f.Add("Welcome!\n\n" + greeting + "\nrest")
	f.Add(strings.Repeat("x", maxNoise+10))
	f.Add(greeting + "\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		r := bufio.NewReader(strings.NewReader(text))
		noise, err := skipToGreeting(r)
		if len(noise) > 4<<10+200 {
			t.Errorf("%d bytes of noise", len(noise))
		}
		if before, _, ok := strings.Cut("\n"+text, "\n"+greeting+"\n"); err == nil && (!ok || len(before) > maxNoise+4096) {
			t.Errorf("a greeting in %.100q", text)
		}
	})
}
