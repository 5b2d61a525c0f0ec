// Package ros2 is the driver for ROS 2 as its client library in C has it (rcl):
// real nodes, discovery, type support and rmw, and rcl's wait sets, which the
// executors of rclcpp and rclpy stand on. It has none of these executors, and so
// not what they cost. Publish/subscribe, and services; on one host through the shared
// memory of Fast DDS, between hosts by UDP. Its worker, in C++, is in worker/. ROS 2 is
// not in Debian; where it is looked for is in install.go. What only looks like ROS 2 on
// the wire is package dds.
package ros2

import (
	"fmt"

	"versus/drivers"
	"versus/drivers/dds"
	"versus/drivers/worker"
	"versus/dsl/schema"
)

const (
	// maxPayload is what the tests cover, and far below the 4 GiB that CDR has.
	maxPayload = 64 << 20
	// maxTopics is what one node and one thread that waits still carry.
	maxTopics = 100
	// maxCallers bounds the calls of one service that wait at the same time.
	maxCallers = 1000
)

// Driver describes ROS 2 to the interpreter.
var Driver = drivers.Driver{
	Name: name,
	Doc:  "ROS 2 (rcl, no rclcpp executor), with rmw_fastrtps_cpp.",
	Attrs: []schema.Attr{
		{
			Name: "discovery", Type: schema.String, Default: `"localhost"`, OneOf: []string{"localhost", "subnet"},
			Doc:     "Where nodes look for each other (ROS_AUTOMATIC_DISCOVERY_RANGE). With localhost the active side also asks the passive one if that is on another host (ROS_STATIC_PEERS). With subnet every node in the same domain takes part that multicast reaches; between hosts of kind netns it reaches none.",
			Example: `"subnet"`,
		},
		{
			Name: "domain", Type: schema.Integer, Default: "-1", Min: -1, Max: 101,
			Doc:     "The domain (ROS_DOMAIN_ID), or -1 for one that nobody else on the hosts of the run uses. The default of ROS 2 is 0.",
			Example: "0",
		},
		{
			Name: "match_timeout", Type: schema.Duration, Default: `"8s"`, Min: 0.01, Max: 10,
			Doc:     "How long the active side waits for the passive one to be discovered before the run has failed. All roles together have 10 s to get ready.",
			Example: `"2s"`,
		},
	},
	Blocks:      []schema.Block{dds.QoS},
	Patterns:    []drivers.Pattern{drivers.RPC, drivers.PubSub},
	AcrossHosts: drivers.OverNetworks,
	Probe:       probe,
	Check:       check,
	Roles:       roles,
}

func size(p drivers.Payload) int {
	if p.Kind == "lines" {
		return len(p.Text)
	}
	return p.Bytes
}

func check(w drivers.Workload) error {
	n := size(w.Payload)
	switch {
	case w.Payload.Kind != "bytes" && w.Payload.Kind != "lines":
		return fmt.Errorf("messages are bytes or lines here, and there is no type for a payload of kind %q", w.Payload.Kind)
	case n > maxPayload:
		return fmt.Errorf("a payload of %d bytes is over the limit of %d bytes for a message", n, maxPayload)
	case w.Pattern == drivers.RPC && w.Call != "" && w.Call != "twoway":
		return fmt.Errorf("a service of ROS 2 has no %q call, only twoway", w.Call)
	case w.Pattern == drivers.RPC && max(w.Concurrency, 1)*max(w.InFlight, 1) > maxCallers:
		return fmt.Errorf("more than %d calls at the same time are more than one client can have waiting", maxCallers)
	case w.Pattern == drivers.RPC:
		return nil
	case n < worker.StampSize:
		return fmt.Errorf("a payload of %d bytes can't carry the %d bytes of a message's sequence number and times", n, worker.StampSize)
	case w.Topics > maxTopics:
		return fmt.Errorf("%d topics; one node carries %d here", w.Topics, maxTopics)
	case w.Transfer == "loan":
		return fmt.Errorf(`ROS 2 lends memory for messages of fixed size only, and std_msgs/msg/UInt8MultiArray is none; use transfer = "copy"`)
	}
	return nil
}

func roles(w drivers.Workload) ([]drivers.Role, error) {
	program := Worker()
	passive, active := program.Role("server", false), program.Role("client", true)
	if w.Pattern == drivers.PubSub {
		passive, active = program.Role("subscriber", false), program.Role("publisher", true)
	}
	for _, role := range []*drivers.Role{&passive, &active} {
		role.Get = there()
		role.Env = []string{"RMW_IMPLEMENTATION=rmw_fastrtps_cpp"} // whatever the user's environment says
	}
	return []drivers.Role{passive, active}, nil
}
