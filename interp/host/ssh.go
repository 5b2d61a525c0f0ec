package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"versus/dsl"
)

// connection is one ssh to a host, which all others to it share. It lasts as
// long as its session, in which a script brings versus there and then waits for
// the end of its input.
type connection struct {
	host    *dsl.Host
	socket  string
	session *attendant
	program string // path of versus on the host
}

// base are the arguments of every ssh. Nobody is there to answer questions, and
// a host that is gone is noticed after 15 s.
func (c *connection) base() []string {
	args := []string{"ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3",
		"-o", "ControlPath=" + c.socket, "-o", "ControlPersist=no",
		"-o", "RemoteCommand=none", "-o", "ClearAllForwardings=yes", "-T", "-x", "-e", "none"}
	return append(args, c.host.Options...)
}

// command runs what is appended on the host, over the connection that there is.
func (c *connection) command() []string {
	return append(c.base(), "-o", "ControlMaster=no", "--", c.host.Address)
}

// install prints where versus is on the host, after it has taken it from its
// input if it is not there yet: hash and size are put in. Copies of other builds that
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
echo "have $f"
cat >/dev/null
`

// connectSSH reaches a host, and brings this program there, once for each build.
func connectSSH(ctx context.Context, h *dsl.Host, hash string, size int64) (c *connection, err error) {
	c = &connection{host: h}
	if c.socket, err = socketName(); err != nil {
		return nil, err
	}
	script := fmt.Sprintf(install, hash, size, greeting)
	args := append(c.base(), "-o", "ControlMaster=yes", "--", h.Address, "exec sh -c "+quoted(script))
	if c.session, err = newAttendant(args); err != nil {
		return nil, err
	}
	if err := c.install(ctx); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// install is this side of the script.
func (c *connection) install(ctx context.Context) error {
	err := c.session.greet(ctx, answerTimeout)
	var said string
	if err == nil {
		said, err = c.session.hear(ctx, answerTimeout)
	}
	if err != nil {
		return fmt.Errorf("%s can't be reached by ssh: %w", c.host.Address, err)
	}
	system, ok := strings.CutPrefix(said, "system ")
	if !ok {
		return fmt.Errorf("%s does not run what ssh asks it to, it says %q", c.host.Address, Clip(said))
	}
	if !slices.Contains(systems[runtime.GOARCH], system) {
		return Missing{fmt.Errorf("%s is a machine of another kind, %q: this versus is built for linux/%s", c.host.Address, Clip(system), runtime.GOARCH)}
	}
	said, err = c.session.hear(ctx, answerTimeout)
	if err == nil && said == "need" {
		if err = c.session.send(ctx, running); err == nil {
			said, err = c.session.hear(ctx, copyTimeout)
		}
	}
	path, ok := strings.CutPrefix(said, "have ")
	if err == nil && !ok {
		err = fmt.Errorf("it says %q", Clip(said))
	}
	if err != nil {
		return fmt.Errorf("versus can't be copied to %s: %w", c.host.Address, err)
	}
	c.program = path
	return nil
}

// systems are the names that uname has for what Go calls an architecture.
var systems = map[string][]string{
	"amd64": {"Linux x86_64"}, "arm64": {"Linux aarch64"}, "riscv64": {"Linux riscv64"}, "ppc64le": {"Linux ppc64le"}, "s390x": {"Linux s390x"},
}

func (c *connection) close() {
	c.session.close()
	os.Remove(c.socket) // ssh does so itself, if it had the time
}

// quoted writes a word for a shell.
func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// socketName is where a connection can be shared: a folder of the user alone. A
// path of more than 107 bytes is none for a socket, and ssh adds 17.
func socketName() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "versus", "ssh")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, "*")
	if err != nil {
		return "", err
	}
	name := f.Name()
	f.Close()
	if len(name) > 107-17 {
		return "", errors.Join(fmt.Errorf("the path %s is too long for a socket of ssh: set XDG_CACHE_HOME to a shorter one", name), os.Remove(name))
	}
	return name, os.Remove(name)
}

// send sends a file.
func (t *attendant) send(ctx context.Context, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return t.write(ctx, f, copyTimeout)
}
