package lint

import "regexp"

var f09 = &Rule{
	ID: "F09", Slug: "debug-build", Severity: Error,
	What: "A host's environment, or an option of a backend, turns on what is for finding mistakes: sanitizers, race detection, allocation checks, tracing, or a log level of debug or trace. " +
		"The workers of versus itself have no debug build: they are the program that runs the scenario.",
	Why:     "Such modes cost from tenths to many times the time, and not the same for every system. What is measured is not what anyone would use.",
	Source:  "ZeroC's comparison of Ice 2.1 with TAO 1.4 (2005) builds both with -O3 -DNDEBUG. The race detector of Go makes programs 2 to 20 times as slow (go.dev/doc/articles/race_detector).",
	Example: "host \"local\" \"here\" {\n  environment = { GODEBUG = \"gctrace=1\" }\n}\n",
	Cure:    "host \"local\" \"here\" {}\n",
	Check:   debugBuild,
}

// debugVariables are environment variables that are for debugging, with the
// values that turn it on.
var debugVariables = []struct {
	name  string
	value *regexp.Regexp
	what  string
}{
	{"GODEBUG", regexp.MustCompile(`(gctrace|schedtrace|scheddetail|allocfreetrace|inittrace|clobberfree|gcstoptheworld|invalidptr|efence|http2debug|netdns)=[12]|cgocheck=2`), "makes the Go runtime check or print"},
	{"GOFLAGS", regexp.MustCompile(`-(race|msan|asan)\b|-N\b`), "builds with checks or without optimisation"},
	{"GORACE", regexp.MustCompile(`.`), "is for the race detector"},
	{"GRPC_GO_LOG_SEVERITY_LEVEL", regexp.MustCompile(`(?i)^info$`), "makes gRPC log"},
	{"GRPC_GO_LOG_VERBOSITY_LEVEL", regexp.MustCompile(`^[1-9]`), "makes gRPC log"},
	{"GRPC_TRACE", regexp.MustCompile(`.`), "makes gRPC trace"},
	{"GRPC_VERBOSITY", regexp.MustCompile(`(?i)^debug$`), "makes gRPC log"},
	{"MALLOC_CHECK_", regexp.MustCompile(`^[1-9]`), "checks every allocation"},
	{"MALLOC_PERTURB_", regexp.MustCompile(`^[1-9]`), "overwrites every allocation"},
	{"LD_PRELOAD", regexp.MustCompile(`lib[atmu]san|efence|memcheck`), "loads a sanitizer"},
	{"RUST_LOG", regexp.MustCompile(`(?i)(debug|trace)`), "logs at the level debug or trace"},
	{"LOG_LEVEL", regexp.MustCompile(`(?i)^(debug|trace)$`), "logs at the level debug or trace"},
	{"DEBUG", regexp.MustCompile(`(?i)^(1|true|yes|on|\*)$`), "turns on debugging"},
}

// debugOptions are options, of whatever driver, with values that turn
// debugging on, as text(value).
var debugOptions = map[string]*regexp.Regexp{
	"debug":      regexp.MustCompile(`^true$`),
	"verbose":    regexp.MustCompile(`^true$`),
	"trace":      regexp.MustCompile(`^true$`),
	"assertions": regexp.MustCompile(`^true$`),
	"log_level":  regexp.MustCompile(`(?i)^"(debug|trace|all)"$`),
	"build":      regexp.MustCompile(`(?i)^"(debug|asan|tsan|msan|ubsan)"$`),
	"sanitizer":  regexp.MustCompile(`^"[a-z]`),
}

func debugBuild(p *Pass) {
	for _, h := range p.Scenario.Hosts {
		at := h.Range
		if block := p.Scenario.Find(h.Range); block != nil && block.Attr("environment") != nil {
			at = block.Attr("environment").Range
		}
		for _, d := range debugVariables {
			if value, ok := h.Environment[d.name]; ok && d.value.MatchString(value) {
				p.Report(at, "In the environment of host %s, %s %s. Measure without it.", h.Name, d.name, d.what)
			}
		}
	}
	for _, b := range p.Scenario.Backends {
		block := p.Scenario.Find(b.Range)
		if block == nil {
			continue
		}
		for _, a := range block.Attrs {
			value := text(b.Options[a.Name])
			if d, ok := debugOptions[a.Name]; ok && d.MatchString(value) {
				p.Report(a.Range, "Backend %s is measured with %s = %s, which is for finding mistakes. Measure without it.", b.Name, a.Name, value)
			}
		}
	}
}
