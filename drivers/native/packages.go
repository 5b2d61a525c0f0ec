package native

import (
	"context"
	"os/exec"
	"slices"
	"strings"
)

// Packages returns the Debian packages that bring the shared libraries, as far as
// this machine has them, sorted and each once: libIce++11.so.37 comes with
// libzeroc-ice3.7. Where there is no dpkg there are none.
func Packages(ctx context.Context, libraries []string) []string {
	var packages []string
	for _, library := range libraries {
		if strings.ContainsAny(library, " /*?[\\") {
			continue // no name of a library
		}
		// "libzeroc-ice3.7:amd64: /usr/lib/x86_64-linux-gnu/libIce++11.so.37"
		out, err := exec.CommandContext(ctx, "dpkg-query", "--search", "*/"+library).Output()
		name, _, ok := strings.Cut(string(out), ":")
		if err == nil && ok {
			packages = append(packages, strings.TrimSpace(name))
		}
	}
	slices.Sort(packages)
	return slices.Compact(packages)
}
