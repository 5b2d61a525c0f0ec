package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/hashicorp/hcl/v2/hclwrite"
	"golang.org/x/term"

	"versus/dsl"
	"versus/interp/plan"
)

// maxConsoleLine is the longest expression that the console reads, in bytes.
const maxConsoleLine = 1 << 16

func consoleCommand(a *app, fs *flag.FlagSet, args []string) int {
	var vars variables
	vars.register(fs)
	paths, code, done := a.parse(fs, args, 0, 1)
	if done {
		return code
	}
	var s *dsl.Scenario
	if len(paths) == 1 {
		l := load(paths[0], vars.set, plan.Options{Many: true})
		a.show(l.shown())
		if l.diags.HasErrors() {
			return exitScenario
		}
		s = l.scenario
	}
	prompt := ""
	if f, ok := a.in.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		prompt = "> "
	}
	worst := exitOK
	lines := bufio.NewReaderSize(a.in, maxConsoleLine)
	for {
		fmt.Fprint(a.out, prompt)
		line, err := lines.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			return a.fail("an expression is at most %d bytes long", maxConsoleLine)
		}
		if text := strings.TrimSpace(string(line)); text == "exit" || text == "quit" {
			return worst
		} else if text != "" {
			worst = max(worst, a.evaluate(s, text))
		}
		if err == io.EOF {
			return worst
		}
		if err != nil {
			return a.fail("standard input: %v", err)
		}
	}
}

func (a *app) evaluate(s *dsl.Scenario, text string) int {
	v, diags := dsl.Evaluate(s, text)
	a.show(diags, map[string][]byte{"console": []byte(text)})
	if diags.HasErrors() {
		return exitScenario
	}
	v, marks := v.UnmarkDeep()
	switch {
	case len(marks) > 0:
		fmt.Fprintln(a.out, "(sensitive)")
	case !v.IsWhollyKnown():
		fmt.Fprintln(a.out, "(not known)")
	default:
		fmt.Fprintln(a.out, strings.TrimSpace(string(hclwrite.TokensForValue(v).Bytes())))
	}
	return exitOK
}
