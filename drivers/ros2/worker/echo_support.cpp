// What generate.py made of Echo.idl.
#include "versus_msgs/srv/detail/echo__type_support_c.cpp"
