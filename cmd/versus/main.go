// Command versus runs scenarios that compare middleware. Each subcommand has a
// file: flags, then calls into the packages below, then printing.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"versus/dsl/spell"
	"versus/interp/report"
)

// Exit codes.
const (
	exitOK          = 0
	exitExpectation = 1   // an expectation failed, or a check found something
	exitScenario    = 2   // the scenario or the command line is wrong
	exitRun         = 3   // a run failed
	exitInterrupted = 130 // Ctrl-C
)

func main() {
	os.Exit(Main())
}

// Main runs the command line of this process and returns its exit code.
func Main() int {
	// A worker is started for each role of each run: nothing comes before it.
	if len(os.Args) > 1 && os.Args[1] == "worker" {
		return worker(os.Args[2:])
	}
	out := &output{File: os.Stdout}
	a := &app{in: os.Stdin, out: out, err: os.Stderr}
	code := a.main(os.Args[1:])
	if code == exitOK && out.failed != nil {
		return a.fail("the output is not whole: %v", out.failed)
	}
	return code
}

// app is what commands share: streams and global flags.
type app struct {
	in       io.Reader
	out, err io.Writer
	format   string
	noColor  bool
}

// command is one subcommand.
type command struct {
	name, args, summary string
	formats             []string // of --format; the first is the default
	run                 func(a *app, fs *flag.FlagSet, args []string) int
}

// commands in the order in which a user meets them.
func commands() []command {
	return []command{
		{"init", "[DRIVER...]", "write a scenario to start from", []string{"text"}, initCommand},
		{"run", "[SCENARIO]", "run a scenario and print its tables", []string{"text", "markdown", "csv", "json", "latex", "junit", "github"}, runCommand},
		{"plan", "[SCENARIO]", "show what a scenario would run, or what a pilot advises", []string{"text", "json"}, planCommand},
		{"report", "DIR", "print the tables of a result again, as a web page or as charts too", []string{"text", "markdown", "csv", "json", "latex", "junit", "github"}, reportCommand},
		{"merge", "OUT DIR...", "join the shards of a plan, measured by run --shard, into one result", []string{"text"}, mergeCommand},
		{"audit", "RESULT|SCENARIO", "check the numbers of a result, or of recorded tables", []string{"text", "json"}, auditCommand},
		{"compare", "OLD NEW", "what became of each cell between two results", []string{"text", "markdown", "csv", "json", "junit", "github"}, compareCommand},
		{"diff", "OLD NEW", "what differs between two methodologies, in words", []string{"text", "json"}, diffCommand},
		{"validate", "SCENARIO...", "check scenarios without running them", []string{"text", "json", "sarif"}, validateCommand},
		{"lint", "SCENARIO...", "find mistakes of methodology, without running anything", []string{"text", "json", "sarif", "junit"}, lintCommand},
		{"fmt", "[FILE...]", "lay out scenario files", []string{"text"}, fmtCommand},
		{"drivers", "[build [NAME...]]", "what can run on this machine, and what is missing; build native workers", []string{"text", "json"}, driversCommand},
		{"doctor", "[SCENARIO]", "what on this machine disturbs measurements, and what a scenario lacks on its hosts", []string{"text", "json"}, doctorCommand},
		{"functions", "[NAME]", "what a scenario can call", []string{"text", "json"}, functionsCommand},
		{"console", "[SCENARIO]", "evaluate expressions", []string{"text"}, consoleCommand},
		{"docs", "[PAGE]", "write docs/language.md, rules.md and report.schema.json, or print the page language, rules or schema", []string{"text"}, docsCommand},
		{"version", "", "the version of versus", []string{"text"}, versionCommand},
	}
}

func (a *app) main(args []string) int {
	args = a.globals(args)
	if len(args) == 2 && args[0] == "help" { // help COMMAND is COMMAND -h
		args = []string{args[1], "-h"}
	}
	if len(args) == 0 || args[0] == "help" || isHelp(args[0]) {
		a.usage(a.out)
		if len(args) == 0 {
			return exitScenario
		}
		return exitOK
	}
	for _, c := range commands() {
		if c.name == args[0] {
			return a.command(c, args[1:])
		}
	}
	names := []string{"help"}
	for _, c := range commands() {
		names = append(names, c.name)
	}
	hint := "`versus help` lists the commands."
	if near := spell.Nearest(args[0], names); near != "" {
		hint = fmt.Sprintf("Did you mean %q?", near)
	}
	return a.fail("there is no command %q. %s", args[0], hint)
}

// globals takes the global flags that stand before the command.
func (a *app) globals(args []string) []string {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") && !isHelp(args[0]) {
		name, value, hasValue := strings.Cut(strings.TrimLeft(args[0], "-"), "=")
		switch {
		case name == "no-color" && !hasValue:
			a.noColor = true
		case name == "format" && hasValue:
			a.format = value
		case name == "format" && len(args) > 1:
			a.format = args[1]
			args = args[1:]
		case name == "version":
			return append([]string{"version"}, args[1:]...)
		default:
			return args
		}
		args = args[1:]
	}
	return args
}

func isHelp(s string) bool { return s == "-h" || s == "-help" || s == "--help" }

func (a *app) usage(w io.Writer) {
	fmt.Fprint(w, "versus compares middleware by the methodology that a scenario file states.\n\nCommands:\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-26s %s\n", strings.TrimSpace(c.name+" "+c.args), c.summary)
	}
	fmt.Fprint(w, "\n`versus COMMAND -h` explains one. Global flags: --format FORMAT, --no-color.\n"+
		"Exit status: 0 fine, 1 an expectation failed, 2 the scenario is wrong, 3 a run failed, 130 interrupted.\n")
}

func (a *app) command(c command, args []string) int {
	fs := flag.NewFlagSet(c.name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	if a.format == "" {
		a.format = c.formats[0]
	}
	if len(c.formats) > 1 {
		fs.StringVar(&a.format, "format", a.format, "`format` of the output: "+strings.Join(c.formats, ", "))
	}
	fs.BoolVar(&a.noColor, "no-color", a.noColor, "no colours (also: environment variable NO_COLOR)")
	fs.Usage = func() {}
	return c.run(a, fs, args)
}

// parse parses flags and positional arguments in any order, and checks the
// format. done is true when there is nothing more to do, and code is then the
// exit code.
func (a *app) parse(fs *flag.FlagSet, args []string, least, most int) (rest []string, code int, done bool) {
	c := commandOf(fs.Name())
	for {
		err := fs.Parse(args)
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprintf(a.out, "Usage: versus %s [flags] %s\n\n%s.\n\nFlags:\n", c.name, c.args, upperFirst(c.summary))
			fs.SetOutput(a.out)
			fs.PrintDefaults()
			return nil, exitOK, true
		}
		if err != nil {
			return nil, a.fail("%v. `versus %s -h` lists the flags.", err, c.name), true
		}
		if fs.NArg() == 0 {
			break
		}
		// Flags may follow positional arguments.
		rest = append(rest, fs.Arg(0))
		args = fs.Args()[1:]
	}
	if len(rest) < least || len(rest) > most {
		return nil, a.fail("usage: versus %s [flags] %s", c.name, c.args), true
	}
	for _, f := range c.formats {
		if f == a.format {
			return rest, exitOK, false
		}
	}
	return nil, a.fail("%s has no format %q; it has %s", c.name, a.format, strings.Join(c.formats, ", ")), true
}

func commandOf(name string) command {
	for _, c := range commands() {
		if c.name == name {
			return c
		}
	}
	return command{name: name}
}

// given reports whether the flag was given, even as what it is without.
func given(fs *flag.FlagSet, name string) (found bool) {
	fs.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// fail prints a mistake in the use of the command. What it quotes may be anybody's,
// and is not to command the terminal.
func (a *app) fail(format string, args ...any) int {
	lines := strings.Split(fmt.Sprintf(format, args...), "\n")
	for i, line := range lines {
		lines[i] = report.Printable(line)
	}
	fmt.Fprintf(a.err, "versus: %s\n", strings.Join(lines, "\n"))
	return exitScenario
}

// color reports whether w shows colours.
func (a *app) color(w io.Writer) bool {
	return !a.noColor && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && a.width(w) > 0
}

// width is the width of the terminal that w is, 0 if it is none.
func (a *app) width(w io.Writer) int {
	if o, ok := w.(*output); ok {
		w = o.File
	}
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 80
	}
	return width
}
