package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"versus/drivers/all"
	"versus/dsl"
	"versus/dsl/manual"
	"versus/stdlib/metric"
)

func docsCommand(a *app, fs *flag.FlagSet, args []string) int {
	check := fs.Bool("check", false, "write nothing; exit with status 1 if the file is not up to date")
	out := fs.String("out", filepath.Join("docs", "language.md"), "`file` to write; - is standard output")
	if _, code, done := a.parse(fs, args, 0, 0); done {
		return code
	}
	var b bytes.Buffer
	if err := manual.Write(&b, dsl.Language(all.Registry().Kinds()), dsl.FunctionDocs(), metric.All); err != nil {
		return a.fail("%v", err)
	}
	switch {
	case *out == "-":
		_, _ = a.out.Write(b.Bytes())
	case *check:
		have, err := os.ReadFile(*out)
		if err != nil {
			return a.fail("%v", err)
		}
		if !bytes.Equal(have, b.Bytes()) {
			fmt.Fprintf(a.err, "versus: %s is not up to date; `versus docs` writes it\n", *out)
			return exitExpectation
		}
	default:
		if err := os.WriteFile(*out, b.Bytes(), 0o666); err != nil {
			return a.fail("%v", err)
		}
		fmt.Fprintf(a.out, "wrote %s\n", *out)
	}
	return exitOK
}
