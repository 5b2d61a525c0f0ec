package host

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"versus/dsl"
)

// sshCommand runs a command on a host. Nobody is there to answer questions, and a host
// that is gone is noticed after 15 s. The connection is that of this ssh alone, whatever
// the user's configuration shares.
func sshCommand(h *dsl.Host, command string) []string {
	args := []string{"ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3",
		"-o", "ControlMaster=no", "-o", "ControlPath=none",
		"-o", "RemoteCommand=none", "-o", "ClearAllForwardings=yes", "-T", "-x", "-e", "none"}
	return append(append(args, h.Options...), "--", h.Address, command)
}

// install becomes the attendant, after it has taken versus from its input if that is not
// there yet: hash and size are put in. Copies of other builds that
// nobody used for 30 days go when one arrives, as workers do (sweep).
const install = `set -e
printf '\n%[3]s\n'
d=${XDG_CACHE_HOME:-$HOME/.cache}/versus f=$d/versus-%[1]s
echo "system $(uname -sm)"
if ! test -x "$f"; then
  mkdir -p "$d"
  find "$d" -name 'versus-*' -mtime +30 -exec rm -f {} \; || :
  t=$(mktemp "$d/new.XXXXXX")
  trap 'rm -f "$t"' EXIT
  echo need
  head -c %[2]d >"$t"
  echo "%[1]s  $t" | sha256sum -c >/dev/null
  chmod 700 "$t"
  mv "$t" "$f"
fi
touch "$f" || :
echo have
exec "$f" worker %[4]s
`

// connectSSH reaches a host, brings this program there, once for each build, and has it
// be the attendant.
func connectSSH(ctx context.Context, h *dsl.Host, hash string, size int64) (*wire, error) {
	script := fmt.Sprintf(install, hash, size, greeting, PlacedFlag)
	p, err := openWire(sshCommand(h, "exec sh -c "+quoted(script)))
	if err != nil {
		return nil, err
	}
	if err := p.install(ctx, h.Address); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// install is this side of the script.
func (t *wire) install(ctx context.Context, address string) error {
	err := t.greet(ctx, answerTimeout)
	var said string
	if err == nil {
		said, err = t.hear(ctx, answerTimeout)
	}
	if err != nil {
		return fmt.Errorf("%s can't be reached by ssh: %w", address, err)
	}
	system, ok := strings.CutPrefix(said, "system ")
	if !ok {
		return fmt.Errorf("%s does not run what ssh asks it to, it says %q", address, Clip(said))
	}
	if !slices.Contains(systems[runtime.GOARCH], system) {
		return Missing{fmt.Errorf("%s is a machine of another kind, %q: this versus is built for linux/%s", address, Clip(system), runtime.GOARCH)}
	}
	said, err = t.hear(ctx, answerTimeout)
	if err == nil && said == "need" {
		if err = t.send(ctx, running); err == nil {
			said, err = t.hear(ctx, copyTimeout)
		}
	}
	if err == nil && said != "have" {
		err = fmt.Errorf("it says %q", Clip(said))
	}
	if err != nil {
		return fmt.Errorf("versus can't be copied to %s: %w", address, err)
	}
	return nil
}

// systems are the names that uname has for what Go calls an architecture.
var systems = map[string][]string{
	"amd64": {"Linux x86_64"}, "arm64": {"Linux aarch64"}, "riscv64": {"Linux riscv64"}, "ppc64le": {"Linux ppc64le"}, "s390x": {"Linux s390x"},
}

// quoted writes a word for a shell.
func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
