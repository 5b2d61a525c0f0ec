"""Makes type support of Echo.idl, in versus_msgs/, with the generators of ROS 2.

Takes the folder share/ of the installation. The command `rosidl` would do, but for
translators from .srv, which need more packages than it installs.
"""
import pathlib
import sys

from rosidl_generator_c.cli import GenerateC
from rosidl_typesupport_fastrtps_c.cli import GenerateFastRTPSCTypesupport

pathlib.Path("srv").mkdir()
pathlib.Path("Echo.idl").rename("srv/Echo.idl")
for generator in GenerateC("c"), GenerateFastRTPSCTypesupport("fastrtps_c"):
    generator.generate("versus_msgs", ["srv/Echo.idl"], [sys.argv[1]], output_path=pathlib.Path("versus_msgs").resolve())
