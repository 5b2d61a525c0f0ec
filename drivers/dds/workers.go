package dds

import (
	"embed"

	"versus/drivers"
	"versus/drivers/native"
)

//go:embed cpp
var files embed.FS

// The workers, one for each vendor, from the same folder: cpp/main.cpp includes
// the one or the other.
var (
	cyclone = native.Worker{
		Name: "dds-cyclonedds", Language: native.Cpp, Files: native.Folder(files, "cpp"),
		Generate:  [][]string{{"idlc", "-t", "types.idl"}},
		Libraries: []string{"-lddsc"},
		Needs: []drivers.Need{
			{Package: "cyclonedds-dev", File: "/usr/include/dds/dds.h"},
			{Package: "cyclonedds-tools", Command: "idlc"},
		},
	}
	fast = native.Worker{
		Name: "dds-fastdds", Language: native.Cpp, Files: native.Folder(files, "cpp"),
		Flags:     []string{"-DVERSUS_FASTDDS"},
		Libraries: []string{"-lfastrtps", "-lfastcdr"},
		Needs: []drivers.Need{
			{Package: "libfastrtps-dev", File: "/usr/include/fastdds/dds/domain/DomainParticipant.hpp"},
		},
	}
)

// Workers are the programs of the driver, to be built.
var Workers = []native.Worker{cyclone, fast}
