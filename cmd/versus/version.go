package main

import (
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"

	"versus/dsl"
)

// version is the version of the module, or of the commit that it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && (v == "" || v == "(devel)") {
			v = s.Value
		}
	}
	if v == "" {
		v = "(devel)"
	}
	return v
}

func versionCommand(a *app, fs *flag.FlagSet, args []string) int {
	if _, code, done := a.parse(fs, args, 0, 0); done {
		return code
	}
	fmt.Fprintf(a.out, "versus %s, language %d, %s\n", version(), dsl.Version, runtime.Version())
	return exitOK
}
