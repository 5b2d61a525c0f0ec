package dsl

import (
	"fmt"

	"versus/dsl/schema"
)

// Version is the version of the language; `scenario { language = N }` asks for at least N.
const Version = 1

// Language describes the whole language: the root is the file, its blocks are
// the blocks of a scenario. drivers are the kinds of backend.
func Language(drivers []schema.Kind) *schema.Block {
	return &schema.Block{
		Doc: "A scenario is one file, or all files of a folder.",
		Blocks: []schema.Block{
			scenarioBlock, importBlock, variableBlock, localsBlock, hostBlock, linkBlock,
			backendBlock(drivers), payloadBlock, datasetBlock, methodologyBlock, defaultsBlock(), testBlock(),
			comparisonBlock, tableBlock, chartBlock, expectBlock, lintBlock,
		},
	}
}

var nameLabel = schema.Label{Name: "name", Declares: true}

func title(of string) schema.Attr {
	return schema.Attr{Name: "title", Type: schema.String, Doc: "How " + of + " is called in tables; the name, if absent."}
}

var scenarioBlock = schema.Block{
	Type: "scenario", Labels: []schema.Label{{Name: "name"}}, Required: true,
	Doc:     "What is compared, in a few words. There is exactly one.",
	Example: "scenario \"quickstart\" {\n  title = \"gRPC, HTTP and MQTT, side by side\"\n}",
	Attrs: []schema.Attr{
		{Name: "title", Type: schema.String, Doc: "The heading of reports; the name, if absent."},
		{Name: "description", Type: schema.String, Doc: "What the reader should know first."},
		{Name: "language", Type: schema.Integer, Min: 1, Max: 1e6, Doc: "The version of the language that the scenario needs."},
	},
}

var importBlock = schema.Block{
	Type: "import", Labels: []schema.Label{{Name: "source"}}, Many: true,
	Doc:     "Takes in the blocks of another file: a path relative to this file, beginning with `./` or `../`, or a part of the standard library, `std/...`. A file imported twice counts once.",
	Example: "import \"std/methodologies.hcl\" {}",
}

var variableBlock = schema.Block{
	Type: "variable", Labels: []schema.Label{nameLabel}, Many: true,
	Doc:     "An input. Its value comes from, later ones winning: the default, the environment (`VERSUS_VAR_name`), `versus.auto.vars.hcl` beside the scenario, then `-var` and `-var-file` in the order of the command line.",
	Example: "variable \"runs\" {\n  type    = number\n  default = 10\n}",
	Attrs: []schema.Attr{
		{Name: "type", Type: schema.TypeExpr, Doc: "`string`, `number`, `bool`, `list(...)`, `map(...)`, `object({...})`; any type, if absent.", Example: "list(number)"},
		{Name: "default", Type: schema.Any, Doc: "The value, if nothing else gives one. A variable without it must be set."},
		{Name: "description", Type: schema.String, Doc: "What the variable is for."},
		{Name: "sensitive", Type: schema.Bool, Default: "false", Doc: "Keeps the value out of the journal and of every output; it may stand in the environment of a host and nowhere else. A default is in the text of the scenario, which the journal has: give the value from outside."},
	},
	Blocks: []schema.Block{{
		Type: "validation", Many: true,
		Doc: "A condition that the value must fulfil.",
		Attrs: []schema.Attr{
			{Name: "condition", Type: schema.Bool, Required: true, Doc: "Must be true. It refers to the variable.", Example: "var.runs % 2 == 0"},
			{Name: "error_message", Type: schema.String, Required: true, Doc: "What to tell a person whose value is refused."},
		},
	}},
}

var localsBlock = schema.Block{
	Type: "locals", Many: true,
	Doc:     "Names for values. They may refer to each other in any order, but not in a circle.",
	Example: "locals {\n  small = 512\n  sizes = [local.small, 2048, 8192]\n}",
	Free:    &schema.Attr{Type: schema.Any, Doc: "The value of the name."},
}

// listenAttr is an argument of hosts that don't find their address by themselves.
var listenAttr = schema.Attr{Name: "listen", Type: schema.String, Doc: "The IP address of the host at which roles on other hosts reach those on this one. It is needed for a server or broker whose clients are on other hosts.", Example: "\"192.0.2.7\""}

var hostBlock = schema.Block{
	Type: "host", Labels: []schema.Label{{Name: "kind", Kind: true}, nameLabel}, Many: true,
	Doc:     "Where roles run. Without any, everything runs on this machine.",
	Example: "host \"local\" \"linux\" {\n  title = \"Linux\"\n  cpus  = \"0-1\"\n}",
	Attrs: []schema.Attr{
		title("the host"),
		{Name: "cpus", Type: schema.String, Doc: "The CPUs to which processes are bound, as in `0-3,6`; all, if absent.", Example: "\"0-1\""},
		{Name: "environment", Type: schema.Map, Doc: "Environment variables of the processes."},
		{Name: "nice", Type: schema.Integer, Min: -20, Max: 19, Doc: "The priority of the processes, from -20, which comes first, to 19; that of versus, if absent. Where it is not granted, cells are skipped and say so: below that of versus only root gets it, or who has a limit for it (`ulimit -e`)."},
		{Name: "realtime", Type: schema.Integer, Min: 1, Max: 99, Doc: "Has the processes run before all others, with this priority among their like (SCHED_FIFO); not so, if absent. Only root gets it, or who has a limit for it (`ulimit -r`); else cells are skipped and say so. A system that spins keeps everything else off its CPU, but for the 5% that Linux takes from it: tails of 50 ms.", Example: "10"},
		{Name: "require", Type: schema.Map, Doc: "What the host must have, else its cells are skipped and say why: `governor`, the frequency governor of its CPUs; `cores`, how many CPUs versus may use there at least; `memory`, how much is free at least; `kernel`, the oldest version; and `binaries`, programs by name, as found in its PATH, or by full path.", Example: "{ governor = \"performance\", cores = 4 }"},
	},
	Kinds: []schema.Kind{
		{Name: "local", Doc: "This machine.", Attrs: []schema.Attr{listenAttr}},
		{Name: "netns", Doc: "A network namespace of its own on this machine, made by versus for the runs and gone with them; only root may. Such hosts reach each other, as fast as the machine goes if no link limits it, and nothing else. They have the machine's files and clocks, and a `/dev/shm` of their own."},
		{Name: "ssh", Doc: "Another machine, reached by the system's ssh: with your configuration and agent, and without asking for a password. versus copies itself there once, into `~/.cache/versus`, and so it does with workers in C++ and Rust; the libraries and daemons that these need must be installed there, else the cells are skipped and say what is missing. One connection carries all runs.", Attrs: []schema.Attr{
			{Name: "address", Type: schema.String, Required: true, Doc: "As the ssh command takes it: `lab`, `me@lab`, `ssh://me@lab:2222`."},
			{Name: "options", Type: schema.List, Doc: "More arguments of ssh.", Example: "[\"-F\", \"lab.conf\"]"},
			listenAttr,
		}},
		{Name: "exec", Doc: "Anything to which a command gives a pipe, such as srun, docker exec or kubectl exec; a terminal in between (`-t`) is none. Workers in C++ and Rust are brought there once, through the pipe, into `~/.cache/versus`; the libraries and daemons that these need must be installed there, else the cells are skipped and say what is missing. Each time the command must lead to the same machine.", Attrs: []schema.Attr{
			{Name: "command", Type: schema.List, Required: true, Doc: "The command and its arguments; what is to run there is appended. One process of versus stays there for all runs, beside those of the run: srun takes `--overlap`.", Example: "[\"docker\", \"exec\", \"-i\", \"box\"]"},
			{Name: "program", Type: schema.String, Doc: "The versus there, which must be the same build; the path of this one, if absent.", Example: "\"/usr/local/bin/versus\""},
			listenAttr,
		}},
	},
}

var linkBlock = schema.Block{
	Type: "link", Labels: []schema.Label{nameLabel}, Many: true,
	Doc:     "Limits what passes between two hosts of kind `netns`, each way for itself. Its real rate, round trip, jitter and loss are measured before the cells that use it and recorded with each run; cells whose link is off by more than 5% fail, or by more loss than chance explains. See [links.md](links.md).",
	Example: "link \"modem\" {\n  between = [host.near, host.far]\n  rate    = \"56kbit/s\"\n}",
	Attrs: []schema.Attr{
		{Name: "between", Type: schema.List, Required: true, Doc: "The two hosts."},
		{Name: "rate", Type: schema.Bandwidth, Min: 1000, Max: 1e12, Doc: "Bits per second, each way, of Ethernet frames. A queue of 64 KiB, or of 100 ms if that is more, waits at either end; what finds it full is lost.", Example: "\"56kbit/s\""},
		{Name: "delay", Type: schema.Duration, Min: 0, Max: 10, Doc: "Added each way.", Example: "\"10ms\""},
		{Name: "jitter", Type: schema.Duration, Min: 0, Max: 1, Doc: "By how much the delay of each frame varies up and down, all values within being equally likely; at most the delay. Frames stay in order: one that would overtake another arrives with it.", Example: "\"2ms\""},
		{Name: "loss", Type: schema.Number, Min: 0, Max: 0.9, Doc: "The probability that a frame is lost, each for itself, each way.", Example: "0.01"},
		{Name: "via", Type: schema.String, OneOf: []string{ViaNetem, ViaRelay}, Doc: "What adds delay, jitter and loss: the `netem` of the kernel, or the `relay`, a process of versus. Without, it is netem if the kernel has it. It is recorded with each run; name it where results of several machines are to be compared."},
	},
}

func backendBlock(drivers []schema.Kind) schema.Block {
	return schema.Block{
		Type: "backend", Labels: []schema.Label{{Name: "driver", Kind: true}, nameLabel}, Many: true,
		Doc:     "A system under test: a driver with its options.",
		Example: "backend \"http\" \"http\" {\n  version = \"1.1\"\n}",
		Attrs:   []schema.Attr{title("the backend")},
		Kinds:   drivers,
	}
}

var payloadBlock = schema.Block{
	Type: "payload", Labels: []schema.Label{nameLabel}, Many: true,
	Doc:     "A named payload, referred to as `payload.NAME`.",
	Example: "payload \"small\" {\n  content = bytes(\"512B\")\n}",
	Attrs: []schema.Attr{
		{Name: "content", Type: schema.PayloadRef, Required: true, Doc: "What one message carries: `bytes(SIZE)`, `lines(TEXT)` or `structs(COUNT, {...})`."},
	},
}

var datasetBlock = schema.Block{
	Type: "dataset", Labels: []schema.Label{{Name: "format", Kind: true}, nameLabel}, Many: true,
	Doc:     "Recorded results, ours or others', to replay or to check.",
	Example: "dataset \"csv\" \"zeroc\" {\n  file  = \"data/zeroc_2005_times.csv\"\n  units = { ice_s = \"s\" }\n}",
	Attrs: []schema.Attr{
		{Name: "file", Type: schema.String, Required: true, Doc: "The file, inside the scenario's folder."},
		{Name: "environment", Type: schema.String, Doc: "On what the results were recorded: machine, system, versions, compiler flags. The report says it.", Example: "\"Pentium 4 2.4 GHz, Fedora Core 3, gcc 3.3.5 -O3\""},
		{Name: "clock", Type: schema.String, OneOf: []string{"monotonic", "realtime"}, Doc: "The clock that the recorded times were read from, if it is known: `monotonic`, or `realtime`, which is the wall clock and may be set while it is read. The report says so of the latter, and the linter objects to durations from it.", Example: "\"monotonic\""},
	},
	Kinds: datasetFormats,
}

func extentBlock(kind, doc string) schema.Block {
	return schema.Block{Type: kind, Doc: doc, Attrs: []schema.Attr{
		{Name: "duration", Type: schema.Duration, Max: 86400 * 30, Doc: "Its length.", Example: "\"200ms\""},
		{Name: "calls", Type: schema.Integer, Max: 1e12, Doc: "Its length in calls, over all callers together.", Example: "100000"},
		{Name: "messages", Type: schema.Integer, Max: 1e12, Doc: "The same, in a pubsub test: over all topics together.", Example: "10000"},
	}}
}

var gateBlock = schema.Block{
	Type:    "gate",
	Doc:     "Which runs count at all. A run beyond one of the limits is invalid: it is in no number, and the report lists it with the reason. Every limit is about how the load was made or what disturbed it, none about the metric compared. Without the block, such runs count and are remarked on.",
	Example: "gate {\n  rate_error = 0.01\n  late       = 0.01\n  negative   = 0\n  fallback   = false\n}",
	Attrs: []schema.Attr{
		{Name: "rate_error", Type: schema.Number, Max: 1, Doc: "The share of the offered rate that an open loop may miss.", Example: "0.01"},
		{Name: "late", Type: schema.Number, Max: 1, Doc: "The share of sends that may begin more than one period late.", Example: "0.01"},
		{Name: "send_lag", Type: schema.Number, Max: 1e6, Doc: "How late 99 of 100 sends of an open loop may begin at most, as a share of the median latency.", Example: "0.1"},
		{Name: "generator_cpu", Type: schema.Number, Max: 1e3, Doc: "The CPU that a client or publisher may use, in cores for each of its GOMAXPROCS.", Example: "0.7"},
		{Name: "negative", Type: schema.Integer, Max: 1e12, Doc: "How many latencies may be below zero, which means that clocks disagree.", Example: "0"},
		{Name: "fallback", Type: schema.Bool, Doc: "Whether a worker may have fallen back to another transport than asked for.", Example: "false"},
		{Name: "others", Type: schema.Number, Max: 1, Doc: "The share of the CPU time of the machine of versus that work other than the run may take. Runs of which it took less than 0.1 s are too short to tell.", Example: "0.2"},
		{Name: "stolen", Type: schema.Number, Max: 1, Doc: "The same for what the host of a virtual machine takes.", Example: "0.02"},
		{Name: "littles_law", Type: schema.Number, Max: 1e3, Doc: "By how much throughput times mean latency of a closed loop may exceed its callers, as a share of them; above 0, calls overlap that can't.", Example: "0.01"},
	},
}

// runBlocks are the blocks of a methodology that a test may override.
var runBlocks = []schema.Block{
	extentBlock("warmup", "Load before the measurement, not counted. Without the block there is none."),
	extentBlock("measure", "The measurement: exactly one of its arguments."),
	{Type: "repeat", Doc: "How often a cell is measured, each time in fresh processes. Without it and `until`, there are 6 runs, or 1 of a replay test.", Attrs: []schema.Attr{
		{Name: "runs", Type: schema.Integer, Min: 1, Max: 1e6, Required: true, Doc: "The number of runs of each cell."},
	}},
	{Type: "until", Doc: "Instead of `repeat`: a cell is measured until half the width of the exact 95% interval of its median over runs is a small enough share of the median. The metric is the one that `keep` would rank runs by: its `by`, or `time_per_call`, or `latency.mean` in a pubsub test. The rule looks at the precision of each cell alone, never at a difference, which would find differences where there are none. Cells that are precise enough have no further run while others go on. The report says which cells were precise enough.", Example: "until {\n  relative_interval = 0.02\n  min               = 6\n  max               = 30\n}", Attrs: []schema.Attr{
		{Name: "relative_interval", Type: schema.Number, Min: 1e-4, Max: 1, Required: true, Doc: "The half width wanted, as a share of the median: plus or minus 2%.", Example: "0.02"},
		{Name: "min", Type: schema.Integer, Default: "6", Min: 6, Max: 1e6, Doc: "Valid runs at least; six are the fewest that have such an interval."},
		{Name: "max", Type: schema.Integer, Min: 6, Max: 1e6, Required: true, Doc: "Runs at most, whatever the precision.", Example: "30"},
	}},
	{Type: "keep", Doc: "Which runs count for means, time per call, throughput and CPU: either the `best`, or all but the extremes that are `trimmed`. Percentiles, maxima, spread, loss and errors come from all valid runs. Without the block, all runs count. Beside such a mean the report shows the median of all runs. An invalid run never counts.", Attrs: []schema.Attr{
		{Name: "best", Type: schema.Formula, Time: schema.Result, Doc: "How many of the best runs count, over `n`, the number of valid runs. A fraction is rounded down; at least one counts.", Example: "n / 2"},
		{Name: "trimmed", Type: schema.Number, Min: 0, Max: 0.49, Doc: "The share of the valid runs left out at each end: the best and the worst tenth. A fraction of a run is rounded down; 0 keeps all.", Example: "0.1"},
		{Name: "by", Type: schema.Formula, Time: schema.Result, Doc: "The metric that says which run is better; `time_per_call`, or `latency.mean` in a pubsub test, if absent.", Example: "time_per_call"},
	}},
	gateBlock,
}

var methodologyBlock = schema.Block{
	Type: "methodology", Labels: []schema.Label{nameLabel}, Many: true,
	Doc:     "How each cell is measured.",
	Example: "methodology \"best_half\" {\n  warmup { duration = \"200ms\" }\n  measure { duration = \"500ms\" }\n  repeat { runs = 6 }\n  keep { best = n / 2 }\n  order = \"interleaved\"\n}",
	Attrs: []schema.Attr{
		{Name: "order", Type: schema.String, Default: `"interleaved"`, OneOf: []string{"grouped", "interleaved", "random"}, Doc: "The order of the runs: all runs of a cell together; round after round over all cells, every second round backwards, so that a steady drift cancels; or shuffled by the seed."},
		{Name: "seed", Type: schema.Integer, Default: "1", Max: 1 << 53, Doc: "The seed of the random order."},
		{Name: "pause", Type: schema.Duration, Default: "0", Max: 86400, Doc: "Time to wait between runs."},
		{Name: "timeout", Type: schema.Duration, Default: `"30s"`, Min: 0.001, Max: 86400, Doc: "How much longer than warm-up and measurement a run may take before it counts as failed."},
		{Name: "drain", Type: schema.Duration, Default: `"2s"`, Max: 3600, Doc: "How long the end of a run waits for messages still under way; what has not come by then is lost."},
		{Name: "noise_floor", Type: schema.Bool, Default: "false", Doc: "Measures the baselines of comparisons twice, as if the second measurement were one more cell. The difference between the two, which is none of the systems', is the noise floor: no verdict is given on a smaller one. Tables never show the second measurement."},
	},
	Blocks: runBlocks,
}

// workload are the arguments of a test that a cell gives a value to.
var workload = []schema.Attr{
	{Name: "backend", Type: schema.BackendRef, Time: schema.Cell, Doc: "The system under test, where no sweep has the axis `backend`."},
	{Name: "host", Type: schema.HostRef, Time: schema.Cell, Doc: "Where all roles run; the first local host, if absent."},
	{Name: "place", Type: schema.Placement, Time: schema.Cell, Doc: "Hosts by role.", Example: "{ client = host.near, server = host.far }"},
	{Name: "payload", Type: schema.PayloadRef, Time: schema.Cell, Doc: "What each message carries; 0 bytes, if absent.", Example: "bytes(each.payload)"},
	{Name: "call", Type: schema.String, Time: schema.Cell, OneOf: []string{"twoway", "async", "oneway", "batch_oneway"}, Doc: "How an rpc test calls; `twoway`, if absent."},
	{Name: "concurrency", Type: schema.Integer, Time: schema.Cell, Min: 1, Max: 10000, Doc: "Callers side by side in an rpc or log test; 1, if absent."},
	{Name: "topics", Type: schema.Integer, Time: schema.Cell, Min: 1, Max: 10000, Doc: "Topics of a pubsub test; 1, if absent."},
	{Name: "rate", Type: schema.Rate, Time: schema.Cell, Min: 1e-3, Max: 1e8, Doc: "An open loop: calls or messages due per second, of each caller or topic, whatever the system does; latency counts from when a call was due. A closed loop, if absent: as fast as it goes.", Example: "\"1kHz\""},
	{Name: "in_flight", Type: schema.Integer, Time: schema.Cell, Min: 1, Max: 100000, Doc: "In an open loop, how many calls of one caller may be waiting at once; 16, if absent. A call beyond that is sent late, and its latency counts from when it was due all the same."},
	{Name: "capacity", Type: schema.Rate, Time: schema.Cell, Min: 1e-3, Max: 1e9, Doc: "Calls or messages per second that the system is known to carry, over all callers or topics together, from an earlier measurement. It changes nothing that is measured: the linter holds rates and sample counts against it, and a plan with it knows how long the calls of a closed loop take.", Example: "each.backend == backend.mqtt ? \"7kHz\" : \"20kHz\""},
	{Name: "transfer", Type: schema.String, Time: schema.Cell, OneOf: []string{"copy", "loan"}, Doc: "How a pubsub test hands over a message."},
	{Name: "latency_kind", Type: schema.String, Time: schema.Cell, OneOf: []string{"round_trip", "half_round_trip", "one_way", "handing_over", "log_call"}, Doc: "In a replay test, what the recorded latencies span: a call and its answer, or half of that; a message from publisher to subscriber; the time until the sender of a oneway call goes on; or a call of a logger. What is not written is not known. Live tests have a kind by themselves. Unlike kinds are not compared."},
	{Name: "event_service", Type: schema.Bool, Time: schema.Cell, Doc: "Has a pubsub test go through the event service of an ORB: IceStorm, or the COS event service."},
}

var methodologyAttr = schema.Attr{Name: "methodology", Type: schema.MethodRef, Doc: "How the cells are measured.", Example: "methodology.quick"}

func defaultsBlock() schema.Block {
	return schema.Block{
		Type:    "defaults",
		Doc:     "What every test takes unless it says otherwise.",
		Example: "defaults {\n  methodology = methodology.quick\n}",
		Attrs:   append([]schema.Attr{methodologyAttr}, workload...),
		Blocks:  runBlocks,
	}
}

func testBlock() schema.Block {
	return schema.Block{
		Type: "test", Labels: []schema.Label{{Name: "pattern", Kind: true}, nameLabel}, Many: true,
		Doc:     "A workload and the sweeps over which it is measured. Its blocks `warmup`, `measure`, `repeat` or `until`, `keep` and `gate` override those of its methodology. In a replay test, `payload`, `topics`, `concurrency`, `rate` and `in_flight` say how the recorded results were measured, for the audit; what is not written is not known.",
		Example: "test \"rpc\" \"capacity\" {\n  payload = bytes(each.payload)\n  sweep {\n    backend = [backend.grpc, backend.http]\n    payload = [512, 8192]\n  }\n}",
		Attrs: append([]schema.Attr{
			title("the test"),
			{Name: "group", Type: schema.String, Doc: "A heading over several tests, as `each.test.group`."},
			methodologyAttr,
		}, workload...),
		Blocks: append(append([]schema.Block{}, runBlocks...), sweepBlock),
		Kinds: []schema.Kind{
			{Name: "rpc", Doc: "Request and response."},
			{Name: "pubsub", Doc: "Publish and subscribe."},
			{Name: "log", Doc: "Calls of a logger."},
			{Name: "replay", Doc: "Recorded results, from a dataset.", Attrs: []schema.Attr{
				{Name: "shows", Type: schema.TestRef, Doc: "The test whose measurements these numbers show a second time, as a chart or a text beside a published table does. The audit (A25) holds the two against each other: cells of one backend, with equal axes where both have them.", Example: "test.capacity"},
			}},
		},
	}
}

var sweepBlock = schema.Block{
	Type: "sweep", Labels: []schema.Label{{Name: "name", Optional: true}}, Many: true,
	Doc:     "One list an axis; the sweep is their product, the last axis moving fastest. Several sweeps of a test are a union: a cell that two of them name is measured once. An axis that a sweep doesn't name stays at the test's argument of that name.",
	Example: "sweep \"by_size\" {\n  backend = [backend.grpc, backend.http]\n  payload = [512, 8192]\n  where   = !(each.backend == backend.http && each.payload > 4096)\n}",
	Attrs: []schema.Attr{
		{Name: "where", Type: schema.Bool, Time: schema.Cell, Doc: "Only combinations for which this is true.", Example: "each.payload <= 4096"},
		{Name: "zip", Type: schema.Map, Doc: "Axes that move together: lists of one length.", Example: "{ topics = [1, 4], payload = [512, 2048] }"},
	},
	Free: &schema.Attr{Type: schema.List, Doc: "An axis: the list of its values."},
}

var comparisonBlock = schema.Block{
	Type: "comparison", Labels: []schema.Label{nameLabel}, Many: true,
	Doc:     "Compares pairs of cells that agree on every axis that is not named.",
	Example: "comparison \"vs_grpc\" {\n  baseline = { backend = backend.grpc }\n  value    = (baseline.time_per_call - candidate.time_per_call) / candidate.time_per_call\n  format   = \"percent\"\n}",
	Attrs: []schema.Attr{
		title("the comparison"),
		{Name: "baseline", Type: schema.Selector, Required: true, Doc: "The cells compared against, by axis values.", Example: "{ backend = backend.grpc }"},
		{Name: "candidate", Type: schema.Selector, Doc: "The cells compared; every other value of the baseline's axes, if absent."},
		{Name: "value", Type: schema.Formula, Time: schema.Result, Required: true, Doc: "The formula, over `baseline.METRIC` and `candidate.METRIC`.", Example: "baseline.latency.mean / candidate.latency.mean"},
		{Name: "format", Type: schema.String, Default: `"number"`, OneOf: []string{"percent", "ratio", "number"}, Doc: "How the value is printed: 1.45 as 145%, as 1.45x, or as 1.45."},
		{Name: "unit", Type: schema.String, Doc: "The unit of the value, for its heading."},
		{Name: "confidence", Type: schema.Number, Default: "0.95", Min: 0.5, Max: 0.9999, Doc: "The confidence of its interval."},
		{Name: "across", Type: schema.List, Doc: "Differences between the two sides that are meant: `methodology`, `load`, `host`, or the name of an argument or axis of tests, or of an option of backends. Without it the report refuses pairs that differ in the first three, and the linter those that differ in others.", Example: "[\"load\"]"},
		{Name: "test", Type: schema.TestRef, Doc: "The test or tests compared; all, if absent."},
	},
}

var tableBlock = schema.Block{
	Type: "table", Labels: []schema.Label{nameLabel}, Many: true,
	Doc:     "Prints results: one row for each combination of `rows`; and either one column for each `column` block, or `cell` spread over the values of `columns`.",
	Example: "table \"capacity\" {\n  rows = [each.backend, each.payload]\n  column \"mean (us)\" { value = latency.mean * 1e6 }\n}",
	Attrs: []schema.Attr{
		{Name: "title", Type: schema.String, Doc: "The heading; the name, if absent."},
		{Name: "test", Type: schema.TestRef, Doc: "The test or tests shown; all, if absent."},
		{Name: "rows", Type: schema.List, Time: schema.Result, Required: true, Doc: "What names a row, outermost first.", Example: "[each.backend, each.payload]"},
		{Name: "columns", Type: schema.List, Time: schema.Result, Doc: "What is spread over the columns.", Example: "[each.host.title]"},
		{Name: "cell", Type: schema.Formula, Time: schema.Result, Doc: "What stands where row and column meet.", Example: "comparison.speedup"},
		{Name: "where", Type: schema.Formula, Time: schema.Result, Doc: "Only cells for which this is true."},
	},
	Blocks: []schema.Block{{
		Type: "column", Labels: []schema.Label{{Name: "heading"}}, Many: true, Doc: "One column.",
		Attrs: []schema.Attr{
			{Name: "value", Type: schema.Formula, Time: schema.Result, Required: true, Doc: "A metric, a comparison, or an expression over them.", Example: "latency.p99 * 1e6"},
			{Name: "digits", Type: schema.Integer, Max: 12, Doc: "Decimals; enough for three or four digits, if absent."},
		},
	}},
}

func chartAxis(which string) schema.Block {
	return schema.Block{Type: which[:1] + "_axis", Doc: "The " + which[2:] + " axis.", Attrs: []schema.Attr{
		{Name: "scale", Type: schema.String, OneOf: []string{"linear", "log2", "log10"}, Doc: "The scale, where the values are numbers, sizes or rates; others are categories. What is 0 or less has no place on a logarithmic one, and the report says so. If absent, linear; but log10 for values of y that are more than tenfold apart (in `percentiles`, a hundredfold) and are no bars, for y of `load` and for x of `ecdf` and `ccdf`."},
		{Name: "label", Type: schema.String, Doc: "What stands beside it, with the unit; what is drawn, if absent. Of latencies of `load`, `percentiles`, `ecdf`, `ccdf` and `windows`, the report chooses the unit and adds it."},
	}, Blocks: []schema.Block{{
		Type: "mark", Labels: []schema.Label{{Name: "text"}}, Many: true,
		Doc: "A thin line across the chart with its name: a limit of the system, such as the MTU. On both axes of `value`, and on the vertical one of `runs` and `strip`.",
		Attrs: []schema.Attr{
			{Name: "at", Type: schema.Any, Required: true, Doc: "Where: a number in the unit of the axis, or a size.", Example: "\"64KiB\""},
		},
	}}}
}

// chartDoc has what each kind of chart draws.
const chartDoc = "What is drawn. " +
	"`value`: y over x, with intervals; points of a series are connected if x is numeric, and are bars from 0 if it is not (dots on a logarithmic axis). " +
	"`load`: p50, p99 and p99.9 over the offered rate, with a line at the capacity, and the achieved rate below. " +
	"`percentiles`: the latency that a share of the messages exceeds, up to where the sample runs out; dotted where fewer than 10 messages are beyond. " +
	"`ecdf`: the share of messages up to each latency, for the body of the distribution. " +
	"`ccdf`: the share beyond each latency, on two logarithmic axes, for its tail. " +
	"`strip`: y of each run side by side, with the median, and a box from 10 runs on. " +
	"`runs`: y of each run, in the order of time. " +
	"`windows`: the mean latency along each run, with its levels between change points. " +
	"`speedup`: how many times as good as the baseline each candidate of a comparison is by all runs, with intervals, on a logarithmic axis around 1. " +
	"`pairs`: the run of the baseline and that of the candidate in each round of an interleaved plan, and their ratios below. " +
	"`heatmap`: a value over two axes."

var chartBlock = schema.Block{
	Type: "chart", Labels: []schema.Label{nameLabel}, Many: true,
	Doc:     "Draws results, as SVG and PNG, with `versus report RESULT --charts FOLDER`, and within the page that `--html` writes. A colour and a marker belong to the name of a series, the same in every chart of a report. What can't be drawn is listed with its reason.",
	Example: "chart \"latency_over_size\" {\n  x      = each.payload\n  y      = latency.mean * 1e6\n  series = each.backend\n  x_axis {\n    scale = \"log2\"\n    mark \"64 KiB\" { at = \"64KiB\" }\n  }\n  y_axis { label = \"mean latency (us)\" }\n}",
	Attrs: []schema.Attr{
		{Name: "title", Type: schema.String, Doc: "The heading; the name, if absent."},
		{Name: "kind", Type: schema.String, Default: `"value"`, OneOf: chartKinds, Doc: chartDoc},
		{Name: "test", Type: schema.TestRef, Doc: "The test or tests shown; all, if absent."},
		{Name: "x", Type: schema.Formula, Time: schema.Result, Doc: "The horizontal value, of the kinds `value` and `heatmap`; of `strip`, `speedup` and `pairs`, what names a place beside the series.", Example: "each.payload"},
		{Name: "y", Type: schema.Formula, Time: schema.Result, Doc: "The vertical value. Of `load`, `percentiles`, `ecdf` and `ccdf`, the distribution: `latency` (if absent) or `service_time`; of `speedup` and `pairs`, `comparison.NAME`.", Example: "latency.mean * 1e6"},
		{Name: "value", Type: schema.Formula, Time: schema.Result, Doc: "What the colour of a `heatmap` shows, and the number on it.", Example: "latency.p99 * 1e6"},
		{Name: "series", Type: schema.Formula, Time: schema.Result, Doc: "What makes a line of its own.", Example: "each.backend"},
		{Name: "where", Type: schema.Formula, Time: schema.Result, Doc: "Only cells for which this is true."},
	},
	Blocks: []schema.Block{chartAxis("x horizontal"), chartAxis("y vertical")},
}

var expectBlock = schema.Block{
	Type: "expect", Labels: []schema.Label{{Name: "text"}}, Many: true,
	Doc:     "A condition on results: one that fails makes the command exit with status 1, or only informs.",
	Example: "expect \"gRPC answers within a millisecond\" {\n  condition     = latency.p99 < 0.001\n  where         = each.backend == backend.grpc\n  error_message = \"p99 was ${fixed(latency.p99 * 1e3, 2)} ms.\"\n}",
	Attrs: []schema.Attr{
		{Name: "condition", Type: schema.Formula, Time: schema.Result, Doc: "Must be true at every cell where all of it has a value, and at one cell at least."},
		{Name: "finding", Type: schema.String, OneOf: findings, Doc: "Instead of a condition: the check of `versus audit` that must report every cell which `where` selects, and one at least. Its error is then a known one. `none` means that the audit has no error beyond the known ones.", Example: "\"A04\""},
		{Name: "where", Type: schema.Formula, Time: schema.Result, Doc: "Only cells for which this is true."},
		{Name: "test", Type: schema.TestRef, Doc: "The test or tests looked at; all, if absent."},
		{Name: "error_message", Type: schema.Formula, Time: schema.Result, Doc: "What to say when it fails."},
		{Name: "severity", Type: schema.String, Default: `"error"`, OneOf: []string{"error", "info"}, Doc: "Whether a failure fails the command."},
	},
}

// findings are the checks of the audit, and none. A test of package audit holds
// the list against its checks.
var findings = func() []string {
	list := []string{"none"}
	for n := 1; n <= 25; n++ {
		list = append(list, fmt.Sprintf("A%02d", n))
	}
	return list
}()

var lintBlock = schema.Block{
	Type: "lint", Many: true,
	Doc:     "Severities of rules of the methodology linter, each with a reason.",
	Example: "lint {\n  rule \"R05\" {\n    severity = \"off\"\n    reason   = \"The first run is the measurement.\"\n  }\n}",
	Blocks: []schema.Block{{
		Type: "rule", Labels: []schema.Label{{Name: "rule"}}, Many: true, Doc: "One rule.",
		Attrs: []schema.Attr{
			{Name: "severity", Type: schema.String, Required: true, OneOf: []string{"error", "warning", "info", "off"}, Doc: "Its severity here."},
			{Name: "reason", Type: schema.String, Required: true, Doc: "Why."},
		},
	}},
}
