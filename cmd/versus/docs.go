package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"versus/drivers/all"
	"versus/dsl"
	"versus/dsl/manual"
	"versus/interp/lint"
	"versus/interp/report"
	"versus/stdlib/metric"
)

// pages are the pages of docs that the program writes itself.
var pages = []struct {
	name, file string
	write      func(io.Writer) error
}{
	{"language", "language.md", func(w io.Writer) error {
		return manual.Write(w, dsl.Language(all.Registry().Kinds()), dsl.FunctionDocs(), metric.All)
	}},
	{"rules", "rules.md", func(w io.Writer) error { return lint.WritePages(w, lint.Rules()) }},
	{"schema", "report.schema.json", report.WriteSchema},
}

func docsCommand(a *app, fs *flag.FlagSet, args []string) int {
	check := fs.Bool("check", false, "write nothing; exit with status 1 if a file is not up to date")
	dir := fs.String("dir", "docs", "`folder` to write to")
	names, code, done := a.parse(fs, args, 0, 1)
	if done {
		return code
	}
	for _, page := range pages {
		var b bytes.Buffer
		if err := page.write(&b); err != nil {
			return a.fail("%v", err)
		}
		if len(names) == 1 {
			if names[0] == page.name {
				_, _ = a.out.Write(b.Bytes())
				return exitOK
			}
			continue
		}
		if c := a.page(filepath.Join(*dir, page.file), b.Bytes(), *check); c != exitOK {
			code = c
		}
	}
	if len(names) == 1 {
		return a.fail("there is no page %q; there are language, rules and schema", names[0])
	}
	return code
}

// page writes one page, or checks that it is up to date.
func (a *app) page(file string, content []byte, check bool) int {
	if check {
		have, err := os.ReadFile(file)
		if err != nil {
			return a.fail("%v", err)
		}
		if !bytes.Equal(have, content) {
			fmt.Fprintf(a.err, "versus: %s is not up to date; `versus docs` writes it\n", file)
			return exitExpectation
		}
		return exitOK
	}
	if err := os.WriteFile(file, content, 0o666); err != nil {
		return a.fail("%v", err)
	}
	fmt.Fprintf(a.out, "wrote %s\n", file)
	return exitOK
}
