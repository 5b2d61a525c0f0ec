package dsl

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/json"
	"github.com/zclconf/go-cty/cty"

	"versus/dsl/schema"
	"versus/stdlib/std"
)

// autoVars is the file of variable values that is read without being named.
const autoVars = "versus.auto.vars.hcl"

// Load reads the scenario in a file or a folder, with its imports, and
// everything that its functions and datasets read. On errors the scenario is
// nil and the diagnostics hold every mistake found, not only the first. The
// files read so far are returned in any case, so that the diagnostics can
// show their lines.
func Load(name string, cfg Config) (*Scenario, map[string][]byte, hcl.Diagnostics) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, nil, hcl.Diagnostics{problem(nil, "Scenario not found",
			"Can't read %s: %v. Name a scenario file (*.hcl) or a folder of them.", name, plainPathError(err))}
	}
	dir, main := name, "."
	if !info.IsDir() {
		dir, main = filepath.Split(name)
		if dir == "" {
			dir = "."
		}
	}
	st := diskStore(dir)
	s, diags := load(st, main, cfg)
	return s, st.shown, diags
}

// LoadSources is Load for files that were read before, as Scenario.Sources
// holds them. It touches no file system.
func LoadSources(main string, sources map[string][]byte, cfg Config) (*Scenario, hcl.Diagnostics) {
	return load(memoryStore(sources), main, cfg)
}

func load(st *store, main string, cfg Config) (*Scenario, hcl.Diagnostics) {
	l := &loader{store: st, cfg: cfg, lang: Language(cfg.Drivers), seen: map[string]bool{}, scope: newScope(),
		cycles: map[string]bool{}, memo: map[*attr]cty.Value{}, tests: map[string]*Test{}, data: map[string]*Dataset{}}
	if main == "." {
		names, err := st.folderFiles()
		switch {
		case err != nil:
			l.fail(nil, "Folder can't be read", "%v.", err)
		case len(names) == 0:
			l.fail(nil, "No scenario here", "The folder holds no *.hcl or *.hcl.json file.")
		}
		for _, name := range names {
			l.file(name, nil)
		}
		if several := l.scenarioFiles(); len(several) > 1 {
			return nil, hcl.Diagnostics{problem(nil, "Several scenarios",
				"The files of a folder are read as one scenario, and here %s have a scenario block each. Name one of them instead of the folder.", list(several, 10))}
		}
	} else {
		l.top = &hcl.Range{Filename: path.Clean(main), Start: hcl.InitialPos, End: hcl.InitialPos}
		l.file(main, nil)
	}
	s := l.build()
	diags := once(l.diags)
	if diags.HasErrors() {
		return nil, diags
	}
	s.Main, s.Sources = main, st.read
	return s, diags
}

// once drops diagnostics that say the same of the same place: an argument of
// defaults is checked for every test.
func once(diags hcl.Diagnostics) hcl.Diagnostics {
	seen := map[string]bool{}
	var kept hcl.Diagnostics
	for _, d := range diags {
		key := d.Summary + d.Detail
		if d.Subject != nil {
			key += d.Subject.String()
		}
		if !seen[key] {
			seen[key] = true
			kept = append(kept, d)
		}
	}
	return kept
}

// loader carries the state of one load.
type loader struct {
	store *store
	cfg   Config
	lang  *schema.Block
	seen  map[string]bool // files read or being read
	top   *hcl.Range      // the beginning of the main file; nil for a folder
	nodes []*node         // top-level blocks, in order
	diags hcl.Diagnostics

	scope  *scope
	cycles map[string]bool     // circles reported
	memo   map[*attr]cty.Value // arguments of load time evaluated
	tests  map[string]*Test    // by name
	data   map[string]*Dataset // by name
}

// scenarioFiles are the files with a block scenario.
func (l *loader) scenarioFiles() []string {
	var files []string
	l.each1("scenario", func(n *node) {
		if !slices.Contains(files, n.rng.Filename) {
			files = append(files, n.rng.Filename)
		}
	})
	return files
}

// list joins names, at most so many of them.
func list(names []string, most int) string {
	if len(names) > most {
		names = append(names[:most:most], fmt.Sprintf("%d more", len(names)-most))
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

func (l *loader) fail(rng *hcl.Range, summary, detail string, args ...any) {
	l.diags = append(l.diags, problem(rng, summary, detail, args...))
}

// problem makes an error diagnostic.
func problem(rng *hcl.Range, summary, detail string, args ...any) *hcl.Diagnostic {
	return &hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: fmt.Sprintf(detail, args...), Subject: rng}
}

// file reads, parses and decodes one scenario file, and what it imports.
func (l *loader) file(name string, from *hcl.Range) {
	name = path.Clean(name)
	if l.seen[name] {
		return
	}
	l.seen[name] = true
	var src []byte
	if strings.HasPrefix(name, "std/") {
		var ok bool
		if src, ok = std.Source(name); !ok {
			l.fail(from, "Unknown import", "The standard library has no %q; it has %s.", name, strings.Join(std.Names(), ", "))
			return
		}
		l.store.shown[name] = src
	} else {
		var err error
		if src, err = l.store.get(name, maxSource); err != nil {
			l.fail(from, "File can't be read", "%s: %v.", name, err)
			return
		}
	}
	f, diags := Parse(name, src)
	l.diags = append(l.diags, diags...)
	if f == nil || diags.HasErrors() {
		return
	}
	root := l.decode(l.lang, f.Body, src)
	for _, n := range root.blocks {
		if n.spec.Type == "import" {
			l.imports(n, name)
			continue
		}
		l.nodes = append(l.nodes, n)
	}
}

func (l *loader) imports(n *node, from string) {
	if len(n.labels) == 0 {
		return
	}
	source := n.labels[0]
	switch {
	case strings.HasPrefix(source, "std/"):
		l.file(source, &n.rng)
	case strings.HasPrefix(source, "./"), strings.HasPrefix(source, "../"):
		if !isScenarioFile(source) {
			l.fail(&n.rng, "Invalid import", "An import names a *.hcl or *.hcl.json file, not %q.", source)
			return
		}
		l.file(path.Join(path.Dir(from), source), &n.rng)
	default:
		l.fail(&n.rng, "Invalid import", "Write a path that begins with \"./\" or \"../\", or \"std/...\"; not %q.", source)
	}
}

// Parse parses one file of the language, after refusing what would hurt the
// parser. The file is nil if nothing could be made of it.
func Parse(name string, src []byte) (*hcl.File, hcl.Diagnostics) {
	if diags := checkSource(name, src); diags.HasErrors() {
		return nil, diags
	}
	var f *hcl.File
	var diags hcl.Diagnostics
	if strings.HasSuffix(name, ".json") {
		f, diags = json.Parse(src, name)
	} else {
		f, diags = hclsyntax.ParseConfig(src, name, hcl.InitialPos)
	}
	if diags.HasErrors() {
		return f, improve(diags, src)
	}
	return f, append(diags, checkParsed(f)...)
}
