// Package std holds the importable HCL that is built into versus: what
// `import "std/..."` reads. Each file under std is complete and commented for
// whoever reads it in a scenario's import.
//
// It parses nothing; package dsl does.
package std

import (
	"embed"
	"io/fs"
	"path"
	"strings"
)

//go:embed std
var files embed.FS

// Source returns the text of an importable file, "std/methodologies" or
// "std/methodologies.hcl"; ok is false if there is none of that name.
func Source(name string) (source []byte, ok bool) {
	if !strings.HasPrefix(name, "std/") || !fs.ValidPath(name) {
		return nil, false
	}
	if path.Ext(name) == "" {
		name += ".hcl"
	}
	source, err := files.ReadFile(name)
	return source, err == nil
}

// Names lists what can be imported, sorted, as it is written in a scenario:
// "std/methodologies".
func Names() []string {
	var names []string
	fs.WalkDir(files, "std", func(p string, d fs.DirEntry, err error) error { // an embedded tree can be read
		if err == nil && !d.IsDir() {
			names = append(names, strings.TrimSuffix(p, ".hcl"))
		}
		return nil
	})
	return names
}
