package run

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"versus/drivers"
	"versus/drivers/native"
	"versus/drivers/workertest"
	"versus/interp/plan"
)

// TestNativeWorkerOfAnotherVersion has a worker in C++ whose kit speaks another version of
// the protocol, as one may that was built elsewhere.
func TestNativeWorkerOfAnotherVersion(t *testing.T) {
	const kit, header, version = "../../drivers/native/cpp", "versus/main.hpp", "protocol_version = 1;"
	files := fstest.MapFS{"main.cpp": {Data: []byte(`#include "versus.hpp"
struct Server : versus::Server {
  versus::Ready open(const versus::Setup&, const std::atomic<bool>&) override { return {}; }
};
int main(int argc, char** argv) {
  return versus::run("old", {{"server", [] { return std::make_unique<Server>(); }}}, argc, argv);
}
`)}}
	names, err := filepath.Glob(kit + "/versus/*.hpp")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(names, kit+"/versus.hpp") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		name, _ = filepath.Rel(kit, name)
		if name == header {
			other := bytes.ReplaceAll(text, []byte(version), []byte("protocol_version = 2;"))
			if bytes.Equal(other, text) {
				t.Fatalf("%s has no %q any more", header, version)
			}
			text = other
		}
		files[name] = &fstest.MapFile{Data: text} // beside main.cpp: found before the present kit
	}
	w := native.Worker{Name: "test-old", Language: native.Cpp, Files: files}
	workertest.Built(t, w)
	old := drivers.Driver{
		Name:  "old",
		Probe: fake.Probe,
		Roles: func(drivers.Workload) ([]drivers.Role, error) { return []drivers.Role{w.Role("server", true)}, nil },
	}
	c := cell("old")
	c.Workload.Driver = old.Name
	runs := records(t, cells{[]*plan.Cell{c, cell("good")}, 1}, Options{Drivers: drivers.Registry{fake, old}})
	wantFault(t, runs, "server in the start", "it speaks version 2 of the worker protocol; this versus speaks version 1")
}
