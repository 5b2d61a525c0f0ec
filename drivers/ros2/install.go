package ros2

import (
	"context"
	"embed"
	"encoding/xml"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"versus/drivers"
	"versus/drivers/native"
)

//go:embed worker
var files embed.FS

// name is that of the driver and of its worker.
const name = "ros2"

// marker is a header that ROS 2 has since Iron, below the folder of an
// installation; what the worker calls is not in older ones.
const marker = "include/rcl/rcl/discovery_options.h"

// get says how to install ROS 2 where there is no package of it for the system:
// with the wheels of Kilted, for Python 3.10 to 3.13. requirements.txt, which
// .ci/run installs, is what becomes of it.
const get = "python3 -m venv ~/ros2 && ~/ros2/bin/pip install ros-rcl==10.1.3 ros-std-msgs==5.5.1 ros-rmw-fastrtps-cpp==9.3.3 pyyaml==6.0.4 && " +
	"export AMENT_PREFIX_PATH=~/ros2 (or, with ROS 2 Iron or later installed, source its setup file)"

// there says how to get ROS 2 on another host, which runs the worker of this one.
func there() string {
	return fmt.Sprintf("install the ROS 2 of this machine at the same path, %s; or name its folders of libraries in LD_LIBRARY_PATH in the environment of the host", prefix())
}

// prefix returns the folder where ROS 2 is installed, with include/, lib/ and
// share/ in it, or "". AMENT_PREFIX_PATH names such folders: the setup file of an
// installation sets it. Wheels make one of the environment of the Python that
// they are installed for: that of the `python3` in PATH, or the user's.
func prefix() string {
	folders := filepath.SplitList(os.Getenv("AMENT_PREFIX_PATH"))
	if python, err := exec.LookPath("python3"); err == nil {
		folders = append(folders, filepath.Dir(filepath.Dir(python)))
	}
	if home, err := os.UserHomeDir(); err == nil {
		folders = append(folders, filepath.Join(home, ".local"))
	}
	for _, folder := range folders {
		if _, err := os.Stat(filepath.Join(folder, marker)); err == nil && filepath.IsAbs(folder) {
			return folder
		}
	}
	return ""
}

// headers are the packages whose headers the worker and its type support include.
var headers = []string{
	"rcl", "rcl_yaml_param_parser", "rcutils", "rmw", "std_msgs", "service_msgs", "builtin_interfaces", "type_description_interfaces",
	"rosidl_dynamic_typesupport", "rosidl_runtime_c", "rosidl_typesupport_interface", "rosidl_typesupport_cpp",
	"rosidl_typesupport_fastrtps_c", "rosidl_typesupport_fastrtps_cpp", "rosidl_runtime_cpp",
	"", // fastcdr lies in no folder of its own
}

// Worker returns the program that plays all roles, on the ROS 2 that is found.
func Worker() native.Worker {
	root := prefix()
	if root == "" {
		return native.Worker{Name: name, Language: native.Cpp, Files: native.Folder(files, "worker"), Get: get, Needs: []drivers.Need{{Package: "ROS 2", File: "/nonexistent"}}}
	}
	in := func(names ...string) string { return filepath.Join(append([]string{root}, names...)...) }
	w := native.Worker{
		Name: name, Language: native.Cpp, Files: native.Folder(files, "worker"), Get: get,
		Generate: [][]string{{"env", "AMENT_PREFIX_PATH=" + root, python(root), "generate.py", in("share")}},
		Needs: []drivers.Need{
			{Package: "ROS 2 (rcl)", File: in(marker)},
			{Package: "ROS 2 (std_msgs)", File: in("include/std_msgs/std_msgs/msg/u_int8_multi_array.h")},
			{Package: "ROS 2 (rmw_fastrtps_cpp)", File: in("lib/librmw_fastrtps_cpp.so")},
			{Package: "ROS 2 (rosidl_generator_c)", File: in("share/rosidl_generator_c/package.xml")},
		},
	}
	for _, header := range headers {
		w.Include = append(w.Include, in("include", header))
	}
	w.Libraries = libraries(root)
	return w
}

// libraries returns what the linker gets. The libraries refer to each other by
// name alone, and an old-fashioned rpath of the program is where all of them are
// looked for, also those that rcl loads later.
func libraries(root string) []string {
	folders := []string{filepath.Join(root, "lib")}
	if others, err := filepath.Glob(filepath.Join(root, "lib/python3*/site-packages/ros_*.libs")); err == nil {
		folders = append(folders, others...)
	}
	list := []string{"-L" + folders[0], "-rdynamic", "-Wl,--disable-new-dtags,-z,lazy,--unresolved-symbols=ignore-in-shared-libs"}
	for _, folder := range folders {
		list = append(list, "-Wl,-rpath,"+folder)
	}
	return append(list, "-lrcl", "-lrcutils", "-lrosidl_runtime_c", "-lstd_msgs__rosidl_typesupport_c", "-lstd_msgs__rosidl_generator_c",
		"-lservice_msgs__rosidl_generator_c", "-lservice_msgs__rosidl_typesupport_fastrtps_c", "-lbuiltin_interfaces__rosidl_generator_c",
		"-lrosidl_typesupport_fastrtps_c", "-lrosidl_typesupport_fastrtps_cpp", "-lrosidl_typesupport_cpp", "-lfastcdr")
}

// python returns the Python that has the generators: that of the environment with
// the wheels, or the one in PATH, for which the setup file of an installation
// sets PYTHONPATH.
func python(root string) string {
	own := filepath.Join(root, "bin/python3")
	if _, err := os.Stat(own); err == nil {
		return own
	}
	return "python3"
}

// probe adds the versions of the packages of ROS 2 to what is found.
func probe(ctx context.Context) drivers.Availability {
	found := Worker().Probe(ctx)
	if !found.OK {
		return found
	}
	for _, part := range []string{"rcl", "rmw_fastrtps_cpp", "fastdds", "std_msgs"} {
		text, err := os.ReadFile(filepath.Join(prefix(), "share", part, "package.xml"))
		var p struct {
			Version string `xml:"version"`
		}
		if err == nil && xml.Unmarshal(text, &p) == nil && p.Version != "" {
			found.Versions[part] = p.Version
		}
	}
	return found
}
