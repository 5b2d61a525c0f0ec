// Package mqtt is the driver for MQTT 3.1.1 and 5 with the Eclipse Paho clients for
// Go: request/response over topics, and publish/subscribe. The broker runs in
// a process of its own: mochi-mqtt, linked into this program, or mosquitto,
// where that is installed.
package mqtt

import (
	"context"
	"fmt"
	"maps"

	"versus/drivers"
	"versus/drivers/goproc"
	"versus/drivers/worker"
	"versus/dsl/schema"
)

const (
	paho5Module = "github.com/eclipse/paho.golang"
	pahoModule  = "github.com/eclipse/paho.mqtt.golang"
	mochiModule = "github.com/mochi-mqtt/server/v2"
)

// maxPayload is what one MQTT packet can hold, 268,435,455 bytes (MQTT 3.1.1,
// section 2.2.3), less the room for the topic and the packet identifier. The
// brokers, as they are started here, set no lower limit.
const maxPayload = 268_435_455 - 100

// Driver describes MQTT to the interpreter.
var Driver = drivers.Driver{
	Name: "mqtt",
	Doc:  "MQTT 3.1.1 or 5 through a broker on the same machine.",
	Attrs: []schema.Attr{
		{
			Name: "qos", Type: schema.Integer, Default: "0", Min: 0, Max: 2,
			Doc:     "Quality of service of publications and subscriptions: 0 at most once, 1 at least once, 2 exactly once.",
			Example: "1",
		},
		{
			Name: "version", Type: schema.String, Default: `"3.1.1"`, OneOf: []string{"3.1.1", "5"},
			Doc:     "The version of MQTT, each with a client library of its own: paho.mqtt.golang for 3.1.1, paho.golang for 5. With 5, requests carry a response topic and correlation data; with 3.1.1 each caller has topics of its own.",
			Example: `"5"`,
		},
		goproc.Attr,
	},
	Blocks: []schema.Block{{
		Type:    "broker",
		Labels:  []schema.Label{{Name: "kind", Kind: true}},
		Doc:     "The broker between the two sides; embedded if there is no such block.",
		Example: `broker "mosquitto" {}`,
		Kinds: []schema.Kind{
			{Name: "embedded", Doc: "The mochi-mqtt broker, linked into this program, in a process of its own. It holds 8,192 messages for a subscriber that can't follow, and drops what is beyond, whatever the quality of service; a remark on the run says how many."},
			{Name: "mosquitto", Doc: "The mosquitto program of this machine, with set_tcp_nodelay; its default, false, adds 40 ms to many messages."},
		},
	}},
	Patterns:    []drivers.Pattern{drivers.RPC, drivers.PubSub},
	AcrossHosts: drivers.OverNetworks,
	Probe:       probe,
	Check:       check,
	Roles: func(w drivers.Workload) ([]drivers.Role, error) {
		passive, active := "server", "client"
		if w.Pattern == drivers.PubSub {
			passive, active = "subscriber", "publisher"
		}
		env := goproc.Env(w.Options)
		broker := drivers.Role{Name: "broker", Env: env}
		if read(w).broker == "mosquitto" {
			broker.Needs = []drivers.Need{mosquitto}
		}
		return []drivers.Role{
			broker,
			{Name: passive, Env: env},
			{Name: active, Active: true, Env: env},
		}, nil
	},
}

// Roles are the workers of the driver.
var Roles = worker.Roles{
	"broker":     worker.ServerFunc(serveBroker),
	"server":     worker.ServerFunc(serve),
	"client":     worker.ClientFunc(connect),
	"subscriber": worker.SubscriberFunc(subscribe),
	"publisher":  worker.PublisherFunc(publish),
}

// options are the arguments of a `backend "mqtt"` block.
type options struct {
	version string // 3.1.1, 5
	qos     byte
	broker  string // embedded, mosquitto
}

func read(w drivers.Workload) options {
	o := options{version: "3.1.1", broker: "embedded"}
	if v, ok := w.Options["version"].(string); ok {
		o.version = v
	}
	if q, ok := w.Options["qos"].(float64); ok {
		o.qos = byte(q)
	}
	if b, ok := w.Options["broker"].(map[string]any); ok {
		if kind, ok := b["kind"].(string); ok {
			o.broker = kind
		}
	}
	return o
}

func check(w drivers.Workload) error {
	if w.Pattern == drivers.RPC && w.Call != "" && w.Call != "twoway" {
		return fmt.Errorf("request/response over MQTT has no %q call, only twoway", w.Call)
	}
	if w.Transfer == "loan" {
		return fmt.Errorf(`MQTT copies every message through the broker: it can't lend memory; use transfer = "copy"`)
	}
	switch w.Payload.Kind {
	case "bytes", "lines":
	default:
		return fmt.Errorf("MQTT carries bytes and lines, and has no encoding for a payload of kind %q", w.Payload.Kind)
	}
	if n := max(w.Payload.Bytes, len(w.Payload.Text)); n > maxPayload {
		return fmt.Errorf("a payload of %d bytes does not fit an MQTT packet, which holds %d", n, maxPayload)
	}
	return nil
}

func probe(ctx context.Context) drivers.Availability {
	found := drivers.Availability{OK: true, Versions: goproc.Versions(pahoModule, paho5Module, mochiModule)}
	version, err := mosquittoVersion(ctx)
	if err != nil {
		found.Missing = `mosquitto, which only broker "mosquitto" needs`
		found.Get = "apt-get install mosquitto"
		return found
	}
	maps.Copy(found.Versions, map[string]string{"mosquitto": version})
	return found
}
