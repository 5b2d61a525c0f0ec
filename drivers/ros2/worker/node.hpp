// A node of ROS 2 in the domain of the run, and how it waits.
#pragma once

#include <dlfcn.h>
#include <rcl/error_handling.h>
#include <rcl/rcl.h>
#include <rcl/version.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "options.hpp"
#include "versus.hpp"
#include "versus/dds/meeting.hpp"
#include "versus/dds/memory.hpp"

namespace ros2_worker {

// expect throws what rcl says of a call that failed.
inline void expect(rcl_ret_t r, const char* what) {
  if (r == RCL_RET_OK) return;
  const std::string text = std::string(what) + ": " + rcl_get_error_string().str + " (rcl_ret_t " + std::to_string(r) + ")";
  rcl_reset_error();
  if (r == RCL_RET_TIMEOUT) throw versus::Failure(versus::deadline_failure, text);
  throw std::runtime_error(text);
}

// took reports whether a function of rcl took something: that there was nothing
// to take, which it calls `none`, is no failure.
inline bool took(rcl_ret_t r, rcl_ret_t none, const char* what) {
  if (r == none) {
    rcl_reset_error();
    return false;
  }
  expect(r, what);
  return true;
}

// version returns the version of rcl that is loaded, or "" if its installation does
// not tell.
inline std::string version() {
  Dl_info is{};
  if (dladdr(dlsym(RTLD_DEFAULT, "rcl_init"), &is) == 0) return "";
  std::ifstream package(std::filesystem::path(is.dli_fname).parent_path().parent_path() / "share/rcl/package.xml");
  const std::string open = "<version>";
  for (std::string line; std::getline(package, line);) {
    if (const size_t at = line.find(open); at != std::string::npos) return line.substr(at + open.size(), line.find("</", at) - at - open.size());
  }
  return "";
}

// Node is what every role has: a context and a node in it.
class Node {
 public:
  Options options;
  int domain = 0;
  rcl_context_t context = rcl_get_zero_initialized_context();
  rcl_node_t node = rcl_get_zero_initialized_node();

  // open makes the node. What the environment says of discovery counts less than
  // the options. far is the address of the other side if that is on another host:
  // multicast finds it there, or else this node asks it, and it answers.
  void open(const char* name, const Options& o, const versus::dds::Network& n, const std::string& far = "") {
    const std::string here = version();  // on another host than where the worker was built
    if (!here.empty() && here != RCL_VERSION_STR) {
      throw std::runtime_error("this host has rcl " + here + ", and the worker was built with rcl " RCL_VERSION_STR ": install the same ROS 2 on both");
    }
    options = o;
    domain = n.domain;
    far_ = far;
    setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", n.subnet ? "SUBNET" : "LOCALHOST", 1);
    for (const char* other : {"ROS_LOCALHOST_ONLY", "ROS_STATIC_PEERS", "ROS_DISCOVERY_SERVER"}) unsetenv(other);
    if (asks()) setenv("ROS_STATIC_PEERS", far.c_str(), 1);
    rcl_init_options_t init = rcl_get_zero_initialized_init_options();
    expect(rcl_init_options_init(&init, rcl_get_default_allocator()), "rcl_init_options_init");
    expect(rcl_init_options_set_domain_id(&init, static_cast<size_t>(domain)), "rcl_init_options_set_domain_id");
    const rcl_ret_t r = rcl_init(0, nullptr, &init, &context);
    if (rcl_init_options_fini(&init) != RCL_RET_OK) rcl_reset_error();
    expect(r, "rcl_init");
    const rcl_node_options_t settings = rcl_node_get_default_options();
    expect(rcl_node_init(&node, name, "/versus", &context, &settings), "rcl_node_init");
  }

  // report tells what is in force; of the transport, whether this process has
  // the shared memory of Fast DDS.
  versus::Ready report(const rmw_qos_profile_t* qos) const {
    versus::Ready r;
    r.effective = {{"rcl", RCL_VERSION_STR},
                   {"rmw", rcl_node_get_rmw_handle(&node)->implementation_identifier},
                   {"executor", "none: rcl wait sets, no rclcpp"},
                   {"domain", std::to_string(domain)},
                   {"discovery", options.discovery + (asks() ? ", and the static peer " + far_ : "")},
                   {"qos", describe(qos)},
                   {"transport", far_.empty() && maps_fastdds() ? "shared memory on one host, else UDP" : "UDP"}};
    for (const char* name : {"FASTDDS_BUILTIN_TRANSPORTS", "FASTDDS_DEFAULT_PROFILES_FILE", "FASTRTPS_DEFAULT_PROFILES_FILE"}) {
      if (const char* value = std::getenv(name)) r.effective[name] = value;
    }
    return r;
  }

  ~Node() {
    if (rcl_node_is_valid_except_context(&node)) (void)!rcl_node_fini(&node);
    if (!rcl_context_is_valid(&context)) return;
    (void)!rcl_shutdown(&context);
    (void)!rcl_context_fini(&context);
  }

 private:
  // asks returns whether the node asks the other side, which nothing else would find.
  bool asks() const { return !far_.empty() && !options.subnet(); }

  static bool maps_fastdds() {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
      if (line.find("/dev/shm/fastdds_") != std::string::npos || line.find("/dev/shm/fastrtps_") != std::string::npos) return true;
    }
    return false;
  }

  std::string far_;
};

// Waiter waits as an executor does: the wait set is filled anew for each wait,
// and one thing is taken of each that is ready.
class Waiter {
 public:
  void open(Node& n, size_t subscriptions, size_t clients, size_t services) {
    expect(rcl_wait_set_init(&set_, subscriptions, 0, 0, clients, services, 0, &n.context, rcl_get_default_allocator()), "rcl_wait_set_init");
  }

  // wait calls add to fill the set, and ready to look at it, unless nothing came
  // within 50 ms.
  template <class Add, class Ready>
  void wait(Add add, Ready ready) {
    expect(rcl_wait_set_clear(&set_), "rcl_wait_set_clear");
    add(&set_);
    if (took(rcl_wait(&set_, 50'000'000), RCL_RET_TIMEOUT, "rcl_wait")) ready(set_);
  }

  ~Waiter() { (void)!rcl_wait_set_fini(&set_); }

 private:
  rcl_wait_set_t set_ = rcl_get_zero_initialized_wait_set();
};

// Sharing is a role with the shared memory of the run.
template <class Role>
class Sharing : public Role {
 public:
  void enter(const versus::Setup& s) override { memory_.enter(s.peers); }

 protected:
  versus::dds::Memory memory_;
};

}  // namespace ros2_worker
