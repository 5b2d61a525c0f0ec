package drivers

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// Need is something that must be installed: a program, or a file.
type Need struct {
	Package string `json:"package,omitempty"` // Debian package that brings it: "libiceoryx-posh-dev"
	Command string `json:"command,omitempty"` // "iox-roudi"; see Program
	File    string `json:"file,omitempty"`    // a glob; variables of the environment in it are replaced
}

// Find returns the file that satisfies the need, or "".
func (n Need) Find() string {
	if n.Command != "" {
		return Program(n.Command)
	}
	found, err := filepath.Glob(os.ExpandEnv(n.File))
	if err != nil || len(found) == 0 {
		return ""
	}
	return found[0]
}

// Program returns the path of a program, or "". It is looked for in PATH, and where
// Debian puts daemons, which is not in the PATH of users.
func Program(name string) string {
	for _, folder := range []string{"", "/usr/sbin/", "/usr/local/sbin/"} {
		if path, err := exec.LookPath(folder + name); err == nil {
			return path
		}
	}
	return ""
}

// Lacking returns which of the needs this machine does not satisfy, each once.
func Lacking(needs []Need) []Need {
	var lacking []Need
	for _, n := range needs {
		if n.Find() == "" && !slices.Contains(lacking, n) {
			lacking = append(lacking, n)
		}
	}
	return lacking
}
