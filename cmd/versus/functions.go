package main

import (
	"encoding/json"
	"flag"
	"fmt"

	"versus/dsl"
	"versus/dsl/spell"
)

func functionsCommand(a *app, fs *flag.FlagSet, args []string) int {
	names, code, done := a.parse(fs, args, 0, 1)
	if done {
		return code
	}
	docs := dsl.FunctionDocs()
	if len(names) == 1 {
		var all []string
		found := docs[:0:0]
		for _, d := range docs {
			all = append(all, d.Name)
			if d.Name == names[0] {
				found = append(found, d)
			}
		}
		if len(found) == 0 {
			hint := "`versus functions` lists them."
			if near := spell.Nearest(names[0], all); near != "" {
				hint = fmt.Sprintf("Did you mean %q?", near)
			}
			return a.fail("there is no function %q. %s", names[0], hint)
		}
		docs = found
	}
	if a.format == "json" {
		enc := json.NewEncoder(a.out)
		enc.SetIndent("", "  ")
		_ = enc.Encode(docs)
		return exitOK
	}
	for _, d := range docs {
		fmt.Fprintf(a.out, "%s\n    %s\n", d.Signature, d.Description)
		if d.Example != "" {
			fmt.Fprintf(a.out, "    %s is %s\n", d.Example, d.Result)
		}
	}
	return exitOK
}
