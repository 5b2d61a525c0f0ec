package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"versus/drivers"
	"versus/dsl"
	"versus/dsl/schema"
)

// defaultInFlight is the bound of an open loop that says nothing else; the
// description of in_flight in package dsl names it too.
const defaultInFlight = 16

// draft is a cell while its arguments are put into it.
type draft struct {
	*Cell
	host  *dsl.Host
	roles map[string]*dsl.Host
}

// setting puts the decoded value of an argument into a cell.
type setting func(*draft)

// argument is one argument of a test that is known at cell time. decode
// returns what a value of it sets, after dsl.Convert has accepted the value.
type argument struct {
	schema.Attr
	// patterns are those to which the argument means something; nil is all.
	patterns []drivers.Pattern
	decode   func(p *Plan, converted any, v cty.Value) (setting, error)
}

var live = []drivers.Pattern{drivers.RPC, drivers.PubSub, drivers.Log}

// declared are the arguments by which a replay test says how its results were
// measured. They mean nothing to the driver, and what is absent is not known.
var declared = []string{"payload", "concurrency", "topics", "rate", "in_flight"}

// decoders are the arguments that the planner understands.
var decoders = map[string]argument{
	"backend": {patterns: nil, decode: decodeBackend},
	"host":    {patterns: live, decode: decodeHost},
	"place":   {patterns: live, decode: decodePlace},
	"payload": {patterns: live, decode: decodePayload},
	"call":    {patterns: []drivers.Pattern{drivers.RPC}, decode: decodeText(func(d *draft, s string) { d.Workload.Call = s })},
	"concurrency": {patterns: []drivers.Pattern{drivers.RPC, drivers.Log},
		decode: decodeNumber(func(d *draft, x float64) { d.Workload.Concurrency = int(x) })},
	"topics":       {patterns: []drivers.Pattern{drivers.PubSub}, decode: decodeNumber(func(d *draft, x float64) { d.Workload.Topics = int(x) })},
	"rate":         {patterns: live, decode: decodeNumber(func(d *draft, x float64) { d.Workload.Rate = x })},
	"in_flight":    {patterns: []drivers.Pattern{drivers.RPC}, decode: decodeNumber(func(d *draft, x float64) { d.Workload.InFlight = int(x) })},
	"capacity":     {patterns: live, decode: decodeNumber(func(d *draft, x float64) { d.Capacity = x })},
	"transfer":     {patterns: []drivers.Pattern{drivers.PubSub}, decode: decodeText(func(d *draft, s string) { d.Workload.Transfer = s })},
	"latency_kind": {patterns: []drivers.Pattern{drivers.Replay}, decode: decodeText(func(d *draft, s string) { d.declaredKind = LatencyKind(s) })},
	"event_service": {patterns: []drivers.Pattern{drivers.PubSub},
		decode: decodeBool(func(d *draft, b bool) { d.Workload.EventService = b })},
}

// arguments are the arguments of a test known at cell time, in the order of
// the language's description. One that the planner does not know is not built
// yet, and the language refuses it.
var arguments = func() []*argument {
	var list []*argument
	for _, b := range dsl.Language(nil).Blocks {
		if b.Type != "test" {
			continue
		}
		for _, attr := range b.Attrs {
			if a, ok := decoders[attr.Name]; ok && attr.Time == schema.Cell {
				a.Attr = attr
				list = append(list, &a)
			}
		}
	}
	return list
}()

func findArgument(name string) *argument {
	if i := slices.IndexFunc(arguments, func(a *argument) bool { return a.Name == name }); i >= 0 {
		return arguments[i]
	}
	return nil
}

// means reports whether the argument means something to tests of the pattern.
func (a *argument) means(pattern string) bool {
	if pattern == string(drivers.Replay) && slices.Contains(declared, a.Name) {
		return true
	}
	return a.patterns == nil || slices.Contains(a.patterns, drivers.Pattern(pattern))
}

// set decodes the value of an argument. A null value is an absent argument.
func (p *Plan) set(a *argument, v cty.Value) (setting, error) {
	converted, err := dsl.Convert(&a.Attr, v)
	if err != nil {
		return nil, err
	}
	if converted == nil {
		return func(*draft) {}, nil
	}
	return a.decode(p, converted, v)
}

func decodeNumber(put func(*draft, float64)) func(*Plan, any, cty.Value) (setting, error) {
	return func(_ *Plan, converted any, _ cty.Value) (setting, error) {
		x, ok := converted.(float64)
		if !ok {
			return nil, fmt.Errorf("a number is wanted here")
		}
		return func(d *draft) { put(d, x) }, nil
	}
}

func decodeBool(put func(*draft, bool)) func(*Plan, any, cty.Value) (setting, error) {
	return func(_ *Plan, converted any, _ cty.Value) (setting, error) {
		b, ok := converted.(bool)
		if !ok {
			return nil, fmt.Errorf("true or false is wanted here")
		}
		return func(d *draft) { put(d, b) }, nil
	}
}

func decodeText(put func(*draft, string)) func(*Plan, any, cty.Value) (setting, error) {
	return func(_ *Plan, converted any, _ cty.Value) (setting, error) {
		s, ok := converted.(string)
		if !ok {
			return nil, fmt.Errorf("a text is wanted here")
		}
		return func(d *draft) { put(d, s) }, nil
	}
}

func decodeBackend(p *Plan, _ any, v cty.Value) (setting, error) {
	name, _ := dsl.BackendName(v)
	i := slices.IndexFunc(p.scenario.Backends, func(b *dsl.Backend) bool { return b.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("there is no backend %q", name)
	}
	b := p.scenario.Backends[i]
	return func(d *draft) { d.Backend = b }, nil
}

func decodeHost(p *Plan, _ any, v cty.Value) (setting, error) {
	h, err := p.host(v)
	return func(d *draft) { d.host = h }, err
}

func decodePlace(p *Plan, _ any, v cty.Value) (setting, error) {
	if !v.Type().IsObjectType() && !v.Type().IsMapType() {
		return nil, fmt.Errorf("write the hosts by role, as in { client = host.near, server = host.far }")
	}
	roles := map[string]*dsl.Host{}
	for it := v.ElementIterator(); it.Next(); {
		k, e := it.Element()
		h, err := p.host(e)
		if err != nil {
			return nil, fmt.Errorf("role %q: %w", k.AsString(), err)
		}
		roles[k.AsString()] = h
	}
	return func(d *draft) { d.roles = roles }, nil
}

func (p *Plan) host(v cty.Value) (*dsl.Host, error) {
	name, ok := dsl.HostName(v)
	if !ok {
		return nil, fmt.Errorf("a host, written host.NAME, is wanted here")
	}
	if name == p.local.Name {
		return p.local, nil
	}
	i := slices.IndexFunc(p.scenario.Hosts, func(h *dsl.Host) bool { return h.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("there is no host %q", name)
	}
	return p.scenario.Hosts[i], nil
}

// decodePayload reads the object that bytes(), lines() and structs() return.
func decodePayload(_ *Plan, converted any, _ cty.Value) (setting, error) {
	m, ok := converted.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("a payload is wanted here")
	}
	var load drivers.Payload
	load.Kind, _ = m["kind"].(string)
	load.Text, _ = m["text"].(string)
	load.Value, _ = m["value"].(float64)
	bytes, _ := m["bytes"].(float64)
	count, _ := m["count"].(float64)
	load.Bytes, load.Count = int(bytes), int(count)
	return func(d *draft) { d.Workload.Payload = load }, nil
}

// finish gives absent arguments their meaning, as the language describes it.
func (d *draft) finish(p *Plan) {
	w := &d.Workload
	w.Pattern = drivers.Pattern(d.Test.Pattern)
	w.Driver, w.Options = d.Backend.Driver, d.Backend.Options
	if d.host == nil {
		d.host = p.local
	}
	d.Place = p.placed(d.host, d.roles)
	d.Links = links(p.scenario, d.Place)
	if w.Pattern == drivers.Replay {
		w.Runs = runsOf(d.Test)
		w.Axes = make(map[string]any, len(d.Axes))
		for _, a := range d.Axes {
			if v := goValue(d.Each[a]); v != nil {
				w.Axes[a] = v
			}
		}
		return
	}
	if w.Payload.Kind == "" {
		w.Payload.Kind = "bytes"
	}
	if w.Pattern == drivers.PubSub {
		w.Topics = max(w.Topics, 1)
	} else {
		w.Concurrency = max(w.Concurrency, 1)
	}
	if w.Pattern == drivers.RPC {
		if w.Call == "" {
			w.Call = "twoway"
		}
		if w.Rate > 0 && w.InFlight == 0 {
			w.InFlight = defaultInFlight
		}
	}
	w.Warmup = drivers.Extent(d.Test.Methodology.Warmup)
	w.Measure = drivers.Extent(d.Test.Methodology.Measure)
}

// placed is the placement with one host for all roles but those listed.
func (p *Plan) placed(h *dsl.Host, roles map[string]*dsl.Host) map[string]*dsl.Host {
	if len(roles) == 0 {
		if p.whole[h] == nil {
			p.whole[h] = map[string]*dsl.Host{"": h}
		}
		return p.whole[h]
	}
	all := map[string]*dsl.Host{"": h}
	for role, h := range roles {
		all[role] = h
	}
	return all
}

// unsuitable reports a value that an argument can't have.
func unsuitable(s *source, err error) *hcl.Diagnostic {
	detail := sentence(err.Error())
	switch {
	case s.arg.Name == "rate":
		detail += " A closed loop has no rate: leave rate out, or let it be null."
	case s.expr == nil && s.arg.Name == "payload":
		detail += " The axis payload gives the argument of that name its value; to compute the argument from the axis, write payload = bytes(each.payload) in the test."
	}
	return &hcl.Diagnostic{Severity: hcl.DiagError, Summary: "Invalid value of " + s.arg.Name, Detail: detail, Subject: s.rng.Ptr()}
}

// sentence makes a sentence of an error's text.
func sentence(s string) string {
	s = sentenceStart(s)
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, "?") {
		return s
	}
	return s + "."
}

func sentenceStart(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
