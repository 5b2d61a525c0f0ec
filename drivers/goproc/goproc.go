// Package goproc is what drivers share whose roles are Go processes: the
// option that sets GOMAXPROCS, and the report of what a role really runs on.
// It starts no process.
package goproc

import (
	"runtime"
	"runtime/debug"
	"strconv"

	"versus/dsl/schema"
)

// Attr is the option gomaxprocs. The default is 1 because these libraries pass
// every message through several goroutines: with more threads each step wakes
// another one through the kernel, which halves the rate of gRPC, net/http and
// paho on a small machine. A server of many callers on many cores wants more.
var Attr = schema.Attr{
	Name: "gomaxprocs", Type: schema.Integer, Default: "1", Min: 1, Max: 1024,
	Doc:     "Threads that run Go code at the same time, in each process. 1 saves the waking of a thread at every step of a message and is fastest where one caller waits for each answer.",
	Example: "2",
}

// Env returns the environment that sets GOMAXPROCS as the options ask.
func Env(options map[string]any) []string {
	n, ok := options[Attr.Name].(float64)
	if !ok {
		return nil
	}
	return []string{"GOMAXPROCS=" + strconv.Itoa(int(n))}
}

// Effective reports the Go version, GOMAXPROCS and the versions of modules as
// this process has them.
func Effective(modules ...string) map[string]string {
	m := Versions(modules...)
	m["gomaxprocs"] = strconv.Itoa(runtime.GOMAXPROCS(0))
	return m
}

// Versions returns the version of Go and of modules, as linked into this
// program; "unknown" where the program was built without that information.
func Versions(modules ...string) map[string]string {
	m := map[string]string{"go": runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	for _, path := range modules {
		m[path] = "unknown"
		if !ok {
			continue
		}
		for _, dep := range info.Deps {
			if dep.Path == path {
				m[path] = dep.Version
			}
		}
	}
	return m
}
