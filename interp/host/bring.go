package host

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"versus/drivers"
	"versus/drivers/native"
)

// prepare has on the host what a role needs there: its worker, if that is a program
// of its own, with its libraries, and what the worker starts. Each is asked for once.
func (r *remote) prepare(ctx context.Context, role drivers.Role) error {
	key, err := json.Marshal([]any{role.Command, role.Needs})
	if err != nil || r.prepared[string(key)] {
		return err
	}
	if lacking, err := r.lacking(ctx, role.Needs); err != nil || len(lacking) > 0 {
		return errors.Join(err, lacksNeeds(fmt.Sprintf("host %q", r.host.Name), role.Name, lacking))
	}
	if len(role.Command) > 0 {
		if err := r.bring(ctx, role.Command[0], role.Get); err != nil {
			return err
		}
	}
	r.prepared[string(key)] = true
	return nil
}

// lacking asks what of the needs the host lacks.
func (r *remote) lacking(ctx context.Context, needs []drivers.Need) ([]drivers.Need, error) {
	if len(needs) == 0 {
		return nil, nil
	}
	a, err := r.lines.ask(ctx, question{Needs: needs})
	if err != nil {
		return nil, fmt.Errorf("host %q: %w", r.host.Name, err)
	}
	// Only what was asked for can be lacking.
	return slices.DeleteFunc(slices.Clone(needs), func(n drivers.Need) bool { return !slices.Contains(a.Lacking, n) }), nil
}

// lacksNeeds is the reason why a role can't run on a host, nil if it lacks nothing.
func lacksNeeds(host, role string, lacking []drivers.Need) error {
	if len(lacking) == 0 {
		return nil
	}
	var names, packages []string
	for _, n := range lacking {
		names = append(names, n.Command+n.Module+n.File)
		packages = append(packages, n.Package)
	}
	return lack(host, names, "the role "+role, aptGet(packages))
}

// lack words what is missing on a host, and how to get it there, if that is known.
func lack(host string, names []string, who, get string) error {
	if get != "" {
		get = "; to get it there: " + get
	}
	return Missing{fmt.Errorf("%s lacks %s, which %s needs%s", host, Clip(strings.Join(names, ", ")), who, get)}
}

// aptGet is the command that installs Debian packages; "" for none.
func aptGet(packages []string) string {
	packages = slices.DeleteFunc(packages, func(name string) bool { return name == "" })
	if len(packages) == 0 {
		return ""
	}
	slices.Sort(packages)
	return "apt-get install " + strings.Join(slices.Compact(packages), " ")
}

// bring has a program on the host, and its hash in programs. otherwise says how to get
// libraries that are in no Debian package.
func (r *remote) bring(ctx context.Context, path, otherwise string) error {
	if r.programs[path] != "" {
		return nil
	}
	hash, size, err := hashOf(path)
	if err != nil {
		return fmt.Errorf("the worker can't be read, to bring it to host %q: %w", r.host.Name, err)
	}
	q := question{Program: &program{SHA256: hash, Size: size, Environment: r.host.Environment}}
	a, err := r.lines.ask(ctx, q)
	if err == nil && a.Program != nil && !a.Program.Here && a.Program.Problem == "" {
		q.Program.Sent = true
		a, err = r.send(ctx, q, path)
	}
	name := filepath.Base(path)
	switch {
	case err != nil:
		return fmt.Errorf("%s can't be brought to host %q: %w", name, r.host.Name, err)
	case a.Program == nil:
		return fmt.Errorf("%s can't be brought to host %q: the versus there does not say whether it has it", name, r.host.Name)
	case a.Program.Problem != "" && a.Program.Here:
		return Missing{fmt.Errorf("%s does not run on host %q: %s", name, r.host.Name, Clip(a.Program.Problem))}
	case a.Program.Problem != "":
		return fmt.Errorf("%s can't be brought to host %q: %s", name, r.host.Name, Clip(a.Program.Problem))
	case len(a.Program.Libraries) > 0:
		get := cmp.Or(aptGet(native.Packages(ctx, a.Program.Libraries)), otherwise)
		return lack(fmt.Sprintf("host %q", r.host.Name), a.Program.Libraries, name, get)
	case !a.Program.Here:
		return fmt.Errorf("%s can't be brought to host %q: it did not arrive", name, r.host.Name)
	}
	r.programs[path] = hash
	return nil
}

// send sends a program after the question about it.
func (r *remote) send(ctx context.Context, q question, path string) (reply, error) {
	f, err := os.Open(path)
	if err != nil {
		return reply{}, err
	}
	defer f.Close()
	return r.lines.request(ctx, q, io.LimitReader(f, q.Program.Size), answerTimeout+loadTimeout)
}

// copyTimeout is how long it may take to copy a program to a host.
const copyTimeout = 10 * time.Minute
