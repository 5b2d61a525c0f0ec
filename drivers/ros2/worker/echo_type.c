// What generate.py made of Echo.idl.
#include "versus_msgs/srv/detail/echo__functions.c"
#include "versus_msgs/srv/detail/echo__description.c"
#include "versus_msgs/srv/detail/echo__type_support.c"
