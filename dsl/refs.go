package dsl

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"versus/dsl/schema"
	"versus/dsl/spell"
	"versus/stdlib/metric"
)

// ref is one reference in an expression: root.name, and what follows.
type ref struct {
	root, name string
	rest       []string // further attribute names
	rng        hcl.Range
	traversal  hcl.Traversal
}

// where says which names an expression may use.
type where struct {
	time schema.Time
	// axes are the names allowed after each. (beside backend, host, test);
	// nil allows none to be checked here.
	axes []string
	// missing says of an axis that exists why it has no value here, or "".
	missing func(axis string) string
	types   map[string]cty.Type // of each.AXIS, where it is one for all cells
	metrics bool                // metrics of the cell at hand
	sides   bool                // baseline.METRIC and candidate.METRIC
	compare bool                // comparison.NAME
	runs    bool                // n
	// comparisons are the names declared, for compare.
	comparisons []string
	// produced says why a metric has no value anywhere here, or "".
	produced func(metric string) string
}

// builtinEach are always known after `each.`.
var builtinEach = []string{"backend", "host", "test"}

// roles that a driver may have, for cpu.ROLE and memory.ROLE.
var roles = []string{"client", "server", "publisher", "subscriber", "broker", "logger"}

// metricRoots are the first parts of the names of metrics.
var metricRoots = func() []string {
	var roots []string
	for _, m := range metric.All {
		root, _, _ := strings.Cut(m.Name, ".")
		if !slices.Contains(roots, root) {
			roots = append(roots, root)
		}
	}
	return roots
}()

// comparisonFields are what comparison.NAME has.
var comparisonFields = []string{"value", "low", "high", "p", "verdict"}

// split takes a traversal apart.
func split(t hcl.Traversal) ref {
	r := ref{root: t.RootName(), rng: t.SourceRange(), traversal: t}
	for i, step := range t[1:] {
		a, ok := step.(hcl.TraverseAttr)
		if !ok {
			break
		}
		if i == 0 {
			r.name = a.Name
		} else {
			r.rest = append(r.rest, a.Name)
		}
	}
	return r
}

// check resolves every name in an expression and reports those that don't
// exist or are not known in time. Names hidden in try() and can() count too.
func (l *loader) check(e *Expr, w where) []ref {
	l.checkFunctions(e)
	quantiled := l.quantiles(e)
	var refs []ref
	for _, t := range e.Variables() {
		r := split(t)
		refs = append(refs, r)
		switch {
		case l.hyphen(r, e), l.dotted(r):
		case loadRoots[r.root] != "":
			l.checkLoadRef(r)
		case r.root == "each":
			l.checkEach(e, r, w)
		case r.root == "comparison":
			l.checkComparison(e, r, w)
		case r.root == "baseline" || r.root == "candidate":
			if !w.sides {
				l.fail(&r.rng, "Not known here", "%q is known only in the value of a comparison.", r.root)
			} else if r.name == "" {
				l.fail(&r.rng, "Incomplete reference", "Write %s.METRIC, for example %s.latency.mean.", r.root, r.root)
			} else {
				l.checkMetric(e, r.root, append([]string{r.name}, r.rest...), r, w, quantiled)
			}
		case r.root == "n":
			if !w.runs {
				l.fail(&r.rng, "Not known here", "\"n\", the number of valid runs, is known only in keep.")
			}
		case slices.Contains(metricRoots, r.root):
			parts := append([]string{r.root}, r.rest...)
			if r.name != "" {
				parts = append([]string{r.root, r.name}, r.rest...)
			}
			l.checkMetric(e, "", parts, r, w, quantiled)
		default:
			l.unknownRoot(r, w)
		}
	}
	return refs
}

// hyphen finds names such as baseline-candidate: HCL reads them as one name,
// and no name of a scenario may look like that.
func (l *loader) hyphen(r ref, e *Expr) bool {
	for _, name := range append([]string{r.root, r.name}, r.rest...) {
		if strings.Contains(name, "-") {
			l.fail(&r.rng, "Subtraction without spaces",
				"HCL allows \"-\" inside names, so that %q is one name. Write %q with spaces.", name, strings.ReplaceAll(name, "-", " - "))
			return true
		}
	}
	return false
}

func (l *loader) checkLoadRef(r ref) {
	what := loadRoots[r.root]
	if r.name == "" {
		l.fail(&r.rng, "Incomplete reference", "Write %s.NAME%s", r.root, suggest("", l.scope.names(r.root)))
		return
	}
	if l.scope.decls[r.root][r.name] == nil {
		l.fail(&r.rng, "Unknown "+what, "There is no %s %q%s", what, r.name, suggest(r.name, l.scope.names(r.root)))
	}
}

func (l *loader) checkEach(e *Expr, r ref, w where) {
	if w.time < schema.Cell {
		l.fail(&r.rng, "Not known yet", "%q differs from cell to cell; this argument is evaluated once, before there are cells. Two settings of a backend are two backends, and the sweep goes over these.", strings.TrimSuffix("each."+r.name, "."))
		return
	}
	if r.name == "" {
		e.AllAxes = true
		return
	}
	if !slices.Contains(e.Axes, r.name) {
		e.Axes = append(e.Axes, r.name)
	}
	if !slices.Contains(w.axes, r.name) && !slices.Contains(builtinEach, r.name) {
		l.fail(&r.rng, "Unknown axis", "No sweep has an axis %q%s", r.name, suggest(r.name, append(append([]string{}, w.axes...), builtinEach...)))
		return
	}
	if w.missing != nil {
		if why := w.missing(r.name); why != "" {
			l.fail(&r.rng, "Axis without a value", "%s", why)
		}
	}
}

func (l *loader) checkComparison(e *Expr, r ref, w where) {
	switch {
	case w.time < schema.Result:
		l.fail(&r.rng, "Not known yet", "Comparisons are known only after the runs; this argument is evaluated before.")
	case !w.compare:
		l.fail(&r.rng, "Not known here", "Comparisons can't be used here.")
	case r.name == "" || !slices.Contains(w.comparisons, r.name):
		l.fail(&r.rng, "Unknown comparison", "There is no comparison %q%s", r.name, suggest(r.name, w.comparisons))
	case len(r.rest) > 1 || len(r.rest) == 1 && !slices.Contains(comparisonFields, r.rest[0]):
		l.fail(&r.rng, "Unknown part of a comparison", "A comparison has no %q%s", strings.Join(r.rest, "."), suggest(r.rest[0], comparisonFields))
	default:
		if !slices.Contains(e.Comparisons, r.name) {
			e.Comparisons = append(e.Comparisons, r.name)
		}
		if len(r.rest) == 0 {
			e.bare = append(e.bare, r.name)
		}
	}
}

func (l *loader) checkMetric(e *Expr, side string, parts []string, r ref, w where, quantiled []hcl.Range) {
	name := strings.Trim(strings.Join(parts, "."), ".")
	if w.time < schema.Result {
		detail := fmt.Sprintf("%q is measured; this argument is evaluated before anything runs.", name)
		if e.Attr != nil && e.Attr.Type == schema.Map {
			detail += fmt.Sprintf(" As a key it needs quotes: { %q = ... }.", name)
		}
		l.fail(&r.rng, "Not known yet", "%s", detail)
		return
	}
	if side == "" && !w.metrics {
		if w.sides {
			l.fail(&r.rng, "Which side?", "Write baseline.%s or candidate.%s.", name, name)
		} else {
			l.fail(&r.rng, "Not known here", "Metrics can't be used here.")
		}
		return
	}
	if slices.Contains(metric.Distributions, name) && slices.Contains(quantiled, r.rng) {
		return
	}
	m, ok := metric.Lookup(name)
	if ok && (strings.HasPrefix(name, "cpu.") || strings.HasPrefix(name, "memory.")) {
		ok = isMetric(name) || slices.Contains(roles, parts[len(parts)-1])
	}
	if !ok {
		l.unknownMetric(name, side, r)
		return
	}
	l.addMetric(e, Ref{Side: side, Metric: m.Name, Range: r.rng}, w)
}

func (l *loader) addMetric(e *Expr, m Ref, w where) {
	if w.produced != nil {
		if why := w.produced(m.Metric); why != "" {
			l.fail(&m.Range, "Metric that is not measured", "%s", why)
			return
		}
	}
	for _, have := range e.Metrics {
		if have.Side == m.Side && have.Metric == m.Metric {
			return
		}
	}
	e.Metrics = append(e.Metrics, m)
}

func isMetric(name string) bool {
	return slices.ContainsFunc(metric.All, func(m metric.Metric) bool { return m.Name == name })
}

func (l *loader) unknownMetric(name, side string, r ref) {
	var names []string
	root, _, _ := strings.Cut(name, ".")
	for _, m := range metric.All {
		if strings.HasPrefix(m.Name, root+".") {
			names = append(names, m.Name)
		}
	}
	if root == "cpu" || root == "memory" {
		for _, role := range roles {
			names = append(names, root+"."+role)
		}
	}
	if slices.Contains(metric.Distributions, root) {
		names = append(names, root+".p50", root+".p99", root+".p99_9")
	}
	if len(names) == 0 {
		names = metricRoots
	}
	hint := suggest(name, names)
	if meant := metricMeant(name); meant != "" {
		hint = fmt.Sprintf(". Did you mean %q?", meant)
	}
	l.fail(&r.rng, "Unknown metric", "There is no metric %q%s", name, hint)
}

// dotted reports latency.p99.9, in which HCL reads .9 as an index.
func (l *loader) dotted(r ref) bool {
	for i, step := range r.traversal {
		index, ok := step.(hcl.TraverseIndex)
		if !ok || i == 0 || !slices.Contains(append([]string{"baseline", "candidate"}, metric.Distributions...), r.root) {
			continue
		}
		parts := append([]string{r.root, r.name}, r.rest...)
		if r.root == "baseline" || r.root == "candidate" {
			parts = parts[1:]
		}
		if index.Key.Type() != cty.Number || len(parts) != 2 {
			return false
		}
		name := strings.Join(parts, ".") + "." + index.Key.AsBigFloat().Text('f', -1)
		meant := metricMeant(name)
		if meant == "" {
			return false
		}
		l.fail(&r.rng, "Unknown metric", "There is no metric %q. Did you mean %q?", name, meant)
		return true
	}
	return false
}

// metricMeant finds the metric behind a name that is right elsewhere:
// latency.p999, latency.p99.9, latency.median, latency.avg.
func metricMeant(name string) string {
	root, part, _ := strings.Cut(name, ".")
	if !slices.Contains(metric.Distributions, root) {
		return ""
	}
	known := map[string]string{"median": "p50", "avg": "mean", "average": "mean", "maximum": "max", "minimum": "min", "sd": "stddev", "std": "stddev", "stdev": "stddev"}[part]
	digits := strings.NewReplacer(".", "", "_", "").Replace(strings.TrimPrefix(part, "p"))
	if known == "" && len(digits) > 2 {
		known = "p" + digits[:2] + "_" + digits[2:]
	}
	if _, ok := metric.Lookup(root + "." + known); !ok {
		return ""
	}
	return root + "." + known
}

func (l *loader) unknownRoot(r ref, w where) {
	candidates := []string{}
	for root := range loadRoots {
		candidates = append(candidates, root)
	}
	if w.time >= schema.Cell {
		candidates = append(candidates, "each")
	}
	if w.metrics {
		candidates = append(candidates, metricRoots...)
	}
	if w.compare {
		candidates = append(candidates, "comparison")
	}
	if w.sides {
		candidates = append(candidates, "baseline", "candidate")
	}
	if w.runs {
		candidates = append(candidates, "n")
	}
	sort.Strings(candidates)
	detail := fmt.Sprintf("There is nothing called %q here", r.root)
	if near := spell.Nearest(r.root, candidates); near != "" {
		detail += fmt.Sprintf(". Did you mean %q?", near)
	} else if slices.Contains(w.axes, r.root) {
		detail += fmt.Sprintf(". Write each.%s for the value of the axis.", r.root)
	} else {
		detail += "; a text needs quotes, and a name of yours its kind before it: var." + r.root + ", local." + r.root + "."
	}
	l.fail(&r.rng, "Unknown name", "%s", detail)
}

// checkFunctions reports unknown functions, which try() would hide.
func (l *loader) checkFunctions(e *Expr) {
	for _, call := range calls(e.Expression) {
		if _, ok := l.scope.funcs[call.Name]; !ok {
			var names []string
			for name := range l.scope.funcs {
				names = append(names, name)
			}
			detail := fmt.Sprintf("There is no function %q", call.Name)
			if near := spell.Nearest(call.Name, names); near != "" {
				detail += fmt.Sprintf(". Did you mean %q?", near)
			} else {
				detail += "; `versus functions` lists them."
			}
			rng := call.NameRange
			l.fail(&rng, "Unknown function", "%s", detail)
		}
	}
}

// calls returns the function calls in an expression in native syntax.
func calls(e hcl.Expression) []*hclsyntax.FunctionCallExpr {
	node, ok := e.(hclsyntax.Node)
	if !ok {
		return nil
	}
	var found []*hclsyntax.FunctionCallExpr
	_ = hclsyntax.VisitAll(node, func(n hclsyntax.Node) hcl.Diagnostics {
		if call, ok := n.(*hclsyntax.FunctionCallExpr); ok {
			found = append(found, call)
		}
		return nil
	})
	return found
}

// quantiles finds quantile(latency, 0.999): it adds the percentile to the
// expression's metrics and returns where the distributions stand.
func (l *loader) quantiles(e *Expr) []hcl.Range {
	var found []hcl.Range
	for _, call := range calls(e.Expression) {
		if call.Name != "quantile" || len(call.Args) != 2 {
			continue
		}
		t, diags := hcl.AbsTraversalForExpr(call.Args[0])
		if diags.HasErrors() {
			continue
		}
		r := split(t)
		side, name := "", strings.Trim(r.root+"."+r.name, ".")
		if r.root == "baseline" || r.root == "candidate" {
			side, name = r.root, r.name
		}
		if !slices.Contains(metric.Distributions, name) {
			continue
		}
		found = append(found, r.rng)
		p, ok := constant(call.Args[1])
		if !ok || p <= 0 || p > 1 {
			rng := call.Args[1].Range()
			l.fail(&rng, "Invalid quantile", "Write a number above 0 and up to 1, as in quantile(%s, 0.999).", name)
			continue
		}
		e.Metrics = append(e.Metrics, Ref{Side: side, Metric: metric.QuantileOf(name, p).Name, Range: r.rng})
	}
	return found
}

// constant returns the number that an expression without references gives.
func constant(e hcl.Expression) (float64, bool) {
	if len(e.Variables()) > 0 {
		return 0, false
	}
	v, diags := e.Value(nil)
	if diags.HasErrors() {
		return 0, false
	}
	return number(v)
}
