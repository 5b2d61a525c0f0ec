package drivers

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Need is something that must be installed: a program, a module that pkg-config
// knows, or a file.
type Need struct {
	Package string `json:"package,omitempty"` // Debian package that brings it: "libiceoryx-posh-dev"
	Command string `json:"command,omitempty"` // "iox-roudi"; see Program
	Module  string `json:"module,omitempty"`  // "TAO_Messaging"
	File    string `json:"file,omitempty"`    // a glob; variables of the environment in it are replaced
}

// Find returns the file that satisfies the need, or "".
func (n Need) Find() string {
	if n.Command != "" {
		return Program(n.Command)
	}
	if n.Module != "" {
		return module(n.Module)
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

// module returns the file that describes a module to pkg-config, or "". It looks
// where pkg-config does, and starts it once at most: plans ask for every cell.
func module(name string) string {
	folders := os.Getenv("PKG_CONFIG_PATH")
	if own, set := os.LookupEnv("PKG_CONFIG_LIBDIR"); set {
		folders += ":" + own
	} else {
		folders += ":" + moduleFolders()
	}
	for _, folder := range filepath.SplitList(folders) {
		file := filepath.Join(folder, name+".pc")
		if info, err := os.Stat(file); folder != "" && err == nil && info.Mode().IsRegular() {
			return file
		}
	}
	return ""
}

// moduleFolders are the folders that pkg-config was built to look in, with colons
// between them; none where it is not installed.
var moduleFolders = sync.OnceValue(func() string {
	out, err := exec.Command("pkg-config", "--variable=pc_path", "pkg-config").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
})

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
