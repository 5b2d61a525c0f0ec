// Package all lists every driver. A new driver is one line here.
package all

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"versus/drivers"
	"versus/drivers/corba"
	"versus/drivers/dds"
	"versus/drivers/grpc"
	"versus/drivers/http"
	"versus/drivers/ice"
	"versus/drivers/iceoryx"
	"versus/drivers/log"
	"versus/drivers/mqtt"
	"versus/drivers/native"
	"versus/drivers/raw"
	"versus/drivers/replay"
	"versus/drivers/ros2"
	"versus/drivers/worker"
	"versus/drivers/zenoh"
)

// list has the drivers, in the order in which `versus drivers` shows them,
// with their workers: roles in Go, or programs in other languages. Drivers that
// start no process of ours have none.
var list = []struct {
	driver drivers.Driver
	roles  worker.Roles
	native []native.Worker
}{
	{grpc.Driver, grpc.Roles, nil},
	{http.Driver, http.Roles, nil},
	{corba.Driver, nil, []native.Worker{corba.OmniORB, corba.TAO()}},
	{dds.Driver, nil, dds.Workers},
	{ice.Driver, ice.Roles, []native.Worker{ice.Worker}},
	{iceoryx.Driver, nil, []native.Worker{iceoryx.Worker}},
	{log.Driver, log.Roles, []native.Worker{log.Worker}},
	{mqtt.Driver, mqtt.Roles, nil},
	{raw.TCP, raw.TCPRoles, nil},
	{raw.Unix, raw.UnixRoles, nil},
	{raw.SHM, raw.SHMRoles, nil},
	{ros2.Driver, nil, []native.Worker{ros2.Worker()}},
	{zenoh.Driver, nil, []native.Worker{zenoh.Worker}},
	{replay.Driver, nil, nil},
}

// Native returns the workers that have to be built.
func Native() []native.Worker {
	var all []native.Worker
	for _, d := range list {
		all = append(all, d.native...)
	}
	return all
}

// Registry returns every driver.
func Registry() drivers.Registry {
	var r drivers.Registry
	for _, d := range list {
		r = append(r, d.driver)
	}
	return r
}

// Worker returns the roles of a driver, for worker.Main. It is an error if
// the driver or its role does not exist.
func Worker(driver, role string) (worker.Roles, error) {
	for _, d := range list {
		if d.driver.Name != driver {
			continue
		}
		if _, ok := d.roles[role]; ok {
			return d.roles, nil
		}
		return nil, fmt.Errorf("driver %q has no role %q; it has: %s", driver, role, strings.Join(slices.Sorted(maps.Keys(d.roles)), ", "))
	}
	var names []string
	for _, d := range list {
		names = append(names, d.driver.Name)
	}
	return nil, fmt.Errorf("there is no driver %q; there are: %s", driver, strings.Join(names, ", "))
}
