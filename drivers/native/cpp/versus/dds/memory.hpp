// Shared memory of a run's own: a /dev/shm that nobody else sees, of the roles on one
// host. Where the kernel doesn't let us, the machine's is used.
#pragma once

#include <sys/statvfs.h>
#include <unistd.h>

#include <stdexcept>
#include <string>

#include "versus/dds/network.hpp"
#include "versus/private.hpp"
#include "versus/roles.hpp"

namespace versus::dds {

// Memory is the view that a process has of shared memory.
class Memory {
 public:
  // enter gives the process, while it has one thread, the memory of the role
  // that was ready first, or memory of its own if it is the first.
  void enter(const Peers& peers) {
    for (const auto& [role, addresses] : peers) {
      const auto owner = addresses.find(role == "broker" ? "pid" : "memory");
      if (owner == addresses.end() || is_elsewhere(addresses)) continue;
      owner_ = owner->second;
      return join_private(owner_);
    }
    owner_ = std::to_string(getpid());
    try {
      make_private({"/dev/shm"});
    } catch (const std::exception& e) {
      why_ = e.what();
    }
  }

  // report adds what later roles need, and a remark if others see the memory.
  void report(Ready& r) const {
    r.addresses["memory"] = owner_;
    r.effective["shared_memory"] = why_.empty() ? "private, in a mount namespace" : "the machine's";
    if (!why_.empty()) r.flags.push_back("fallback: the machine's shared memory, not a private one: " + why_);
  }

  // need throws if /dev/shm can't hold so much: writing to it would be SIGBUS.
  static void need(double bytes) {
    struct statvfs s;
    if (statvfs("/dev/shm", &s) != 0) throw failed("/dev/shm");
    const double free = static_cast<double>(s.f_bavail) * static_cast<double>(s.f_frsize);
    if (bytes <= free) return;
    throw std::runtime_error("the run needs " + std::to_string(static_cast<int64_t>(bytes / 1e6)) + " MB of shared memory, and /dev/shm has " +
                             std::to_string(static_cast<int64_t>(free / 1e6)) + " MB; use a smaller depth or payload");
  }

 private:
  std::string owner_;  // the process whose memory it is
  std::string why_;    // it is not private
};

}  // namespace versus::dds
