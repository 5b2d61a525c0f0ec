package plan

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const fingerprinted = `
variable "size" { default = 512 }
variable "secret" {
  default   = "hush"
  sensitive = true
}
host "local" "here" {
  cpus        = "0-1"
  environment = { TOKEN = var.secret }
}
payload "small" { content = bytes(64) }
test "rpc" "t" {
  title   = "One"
  payload = bytes(each.n * var.size)
  rate    = "1kHz"
  keep { best = n / 2 }
  sweep "by_n" {
    backend = [backend.a, backend.b]
    n       = [1, 2]
    where   = each.n < 2 || each.backend == backend.a
  }
}
comparison "c" {
  baseline = { backend = backend.a }
  value    = baseline.latency.mean / candidate.latency.mean
}
table "x" {
  rows = [each.backend]
  column "mean" { value = latency.mean }
}
`

func TestMethodology(t *testing.T) {
	got := Methodology(load(t, head+fingerprinted))
	want := []string{
		"backend.a.driver = fake",
		"backend.a.options.level = 1",
		"backend.b.driver = fake",
		"backend.b.options.level = 1",
		"backend.c.driver = rpconly",
		"backend.new.driver = recorded",
		"backend.old.driver = recorded",
		"comparison.c.baseline.backend = [a]",
		"comparison.c.confidence = 0.95",
		"comparison.c.value = baseline.latency.mean / candidate.latency.mean",
		"host.here.cpus = 0,1",
		"host.here.environment = TOKEN",
		"host.here.kind = local",
		"payload.small = bytes(64)",
		"test.t.arguments.payload = bytes(each.n * var.size)",
		"test.t.arguments.payload with var.size = 512",
		"test.t.arguments.rate = 1kHz",
		"test.t.methodology.drain = 2 s",
		"test.t.methodology.keep = n / 2",
		"test.t.methodology.measure = 2 s",
		"test.t.methodology.order = interleaved",
		"test.t.methodology.pause = 0 s",
		"test.t.methodology.runs = 3",
		"test.t.methodology.timeout = 30 s",
		"test.t.methodology.warmup = 1 s",
		"test.t.pattern = rpc",
		"test.t.sweep[1].axes = backend, n",
		"test.t.sweep[1].axis.backend = [a, b]",
		"test.t.sweep[1].axis.n = [1, 2]",
		"test.t.sweep[1].where = each.n < 2 || each.backend == backend.a",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	links := Methodology(load(t, head+fingerprinted+`
host "netns" "near" {}
host "netns" "far" {}
link "slow" {
  between = [host.near, host.far]
  rate    = "56kbit/s"
  delay   = "50ms"
  jitter  = "5ms"
  loss    = 0.001
  via     = "relay"
}
`))
	links = slices.DeleteFunc(links, func(l string) bool { return !strings.HasPrefix(l, "link.") })
	if d := cmp.Diff([]string{
		"link.slow.between = near, far", "link.slow.delay = 0.05 s", "link.slow.jitter = 0.005 s",
		"link.slow.loss = 0.001", "link.slow.rate = 56 kbit/s", "link.slow.via = relay",
	}, links); d != "" {
		t.Error(d)
	}
	if len(Fingerprint(got)) != 64 {
		t.Error("a fingerprint has 64 digits")
	}
}

// edit replaces a part of the scenario.
func edit(t *testing.T, src string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(src, pairs[i]) {
			t.Fatalf("%q is not in the scenario", pairs[i])
		}
		src = strings.Replace(src, pairs[i], pairs[i+1], 1)
	}
	return src
}

func TestCosmeticChanges(t *testing.T) {
	before := Methodology(load(t, head+fingerprinted))
	for name, pairs := range map[string][]string{
		"title":           {`title   = "One"`, `title = "Two"`},
		"title of host":   {`cpus        = "0-1"`, `cpus = "0-1"` + "\ntitle = \"H\""},
		"comment, layout": {`bytes(each.n * var.size)`, "bytes( # twice\n  each.n*var.size)"},
		"folded value":    {`"1kHz"`, `"${1}kHz"`},
		"sweep's name":    {`sweep "by_n"`, `sweep`},
		"what is known":   {`"1kHz"`, "\"1kHz\"\n  capacity = 7000"},
		"the secret":      {`"hush"`, `"other"`},
		"the table":       {`rows = [each.backend]`, `rows = [each.n]`},
		"order of blocks": {`payload "small" { content = bytes(64) }`, "", "table \"x\"", "payload \"small\" { content = bytes(64) }\ntable \"x\""},
	} {
		after := Methodology(load(t, head+edit(t, fingerprinted, pairs...)))
		if d := cmp.Diff(before, after); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if changes := Changes(before, after); changes != nil {
			t.Errorf("%s: %q", name, changes)
		}
	}
}

func TestChanges(t *testing.T) {
	before := Methodology(load(t, head+fingerprinted))
	for _, test := range []struct {
		edits []string
		want  []string
	}{
		{[]string{`keep { best = n / 2 }`, "repeat { runs = 8 }\n keep { best = n }"},
			[]string{"methodology of test t: keep n / 2 -> n", "methodology of test t: runs 3 -> 8"}},
		{[]string{"default = 512", "default = 64"},
			[]string{"arguments of test t: payload with var.size 512 -> 64"}},
		{[]string{"[1, 2]", "[1, 2, 4]", `rate    = "1kHz"`, `concurrency = 2`},
			[]string{"arguments of test t: concurrency is new: 2", "arguments of test t: rate is gone: 1kHz", "sweep 1 of test t: n [1, 2] -> [1, 2, 4]"}},
		{[]string{`payload "small" { content = bytes(64) }`, `backend "fake" "d" { level = 2 }`},
			[]string{"backend d: added", "payload small: removed"}},
		{[]string{`cpus        = "0-1"`, `cpus = "0"`, "latency.mean / ", "latency.min / "},
			[]string{"comparison c: value baseline.latency.mean / candidate.latency.mean -> baseline.latency.min / candidate.latency.mean", "host here: cpus 0,1 -> 0"}},
	} {
		after := Methodology(load(t, head+edit(t, fingerprinted, test.edits...)))
		if d := cmp.Diff(test.want, Changes(before, after)); d != "" {
			t.Errorf("%v: %s", test.edits, d)
		}
		if !slices.IsSorted(after) || Fingerprint(before) == Fingerprint(after) {
			t.Errorf("%v: not sorted, or the fingerprint is the same", test.edits)
		}
	}
}

func TestNormalise(t *testing.T) {
	for _, test := range []struct{ a, b string }{
		{"1+ 2", "1 + 2"},
		{"{ a = 1\n b = 2 }", "{a=1,b=2}"},
		{"{ a = 1, # one\n b = 2,\n }", "{a=1,b=2}"},
		{"f(a,b) /* c */ ? x[0] : y.z", "f( a, b )?x[ 0 ]:y.z"},
		{`"a ${ b } c"`, `"a ${b} c"`},
		{"[\n1,\n2,\n]", "[1, 2]"},
		{`"${x == 1 ? "a b" : c}"`, `"${x==1?"a b":c}"`},
	} {
		if a, b := normalise(test.a), normalise(test.b); a != b {
			t.Errorf("%q is not %q", a, b)
		} else if again := normalise(a); again != a {
			t.Errorf("normalise(%q) = %q", a, again)
		}
	}
	for _, test := range []struct{ a, b string }{
		{`"a b"`, `"a  b"`}, {"[1, -2]", "[1 - 2]"}, {`"${a} "`, `"${a}"`}, {"a.b", "a[b]"}, {`"${x?1:2}"`, `"${x ?1 : 3}"`},
	} {
		if a, b := normalise(test.a), normalise(test.b); a == b {
			t.Errorf("%q and %q are both %q", test.a, test.b, a)
		}
	}
}
