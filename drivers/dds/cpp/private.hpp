// Shared memory of a run's own: a mount namespace whose /dev/shm nobody else
// sees. It is gone with its last process, however that ends, and no leftover of
// a crash is in it. Where the kernel doesn't let us, the machine's is used.
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>

#include "options.hpp"
#include "versus.hpp"

namespace dds_worker {

// Memory is the view that a process has of shared memory.
class Memory {
 public:
  // enter gives the process, while it has one thread, the memory of the role
  // that was ready first, or memory of its own if it is the first.
  void enter(const versus::Peers& peers) {
    for (const auto& [role, addresses] : peers) {
      const auto owner = addresses.find(role == "broker" ? "pid" : "memory");
      if (owner == addresses.end()) continue;
      owner_ = owner->second;
      join();
      return;
    }
    owner_ = std::to_string(getpid());
    make();
  }

  // report adds what later roles need, and a remark if others see the memory.
  void report(versus::Ready& r) const {
    r.addresses["memory"] = owner_;
    r.effective["shared_memory"] = why_.empty() ? "private, in a mount namespace" : "the machine's";
    if (!why_.empty()) r.flags.push_back("fallback: the machine's shared memory, not a private one: " + why_);
  }

  // need throws if /dev/shm can't hold so much: writing to it would be SIGBUS.
  static void need(double bytes) {
    struct statvfs s;
    if (statvfs("/dev/shm", &s) != 0) throw std::runtime_error(std::string("/dev/shm: ") + std::strerror(errno));
    const double free = static_cast<double>(s.f_bavail) * static_cast<double>(s.f_frsize);
    if (bytes <= free) return;
    throw std::runtime_error("the run needs " + std::to_string(static_cast<int64_t>(bytes / 1e6)) + " MB of shared memory, and /dev/shm has " +
                             std::to_string(static_cast<int64_t>(free / 1e6)) + " MB; use a smaller depth or payload");
  }

 private:
  void make() {
    const uid_t uid = geteuid();
    const gid_t gid = getegid();
    if (unshare(CLONE_NEWNS) != 0) {
      if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return shared("unshare");
      // This user remains who it is, but may mount here.
      std::ofstream("/proc/self/setgroups") << "deny";
      std::ofstream("/proc/self/uid_map") << uid << ' ' << uid << " 1";
      std::ofstream("/proc/self/gid_map") << gid << ' ' << gid << " 1";
    }
    if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("versus", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777,size=90%") != 0) {
      shared("mount");
    }
  }
  void shared(const char* what) { why_ = std::string(what) + ": " + std::strerror(errno); }

  void join() const {
    const std::string ns = "/proc/" + owner_ + "/ns/";
    auto link = [](const std::string& name) {
      char to[64] = {};
      return readlink(name.c_str(), to, sizeof to - 1) < 0 ? "" : std::string(to);
    };
    const std::string mnt = link(ns + "mnt"), user = link(ns + "user");
    if (mnt.empty()) throw std::runtime_error("process " + owner_ + ", whose shared memory was to be joined, is gone");
    if (user != link("/proc/self/ns/user")) enter_namespace(ns + "user", CLONE_NEWUSER);
    if (mnt != link("/proc/self/ns/mnt")) enter_namespace(ns + "mnt", CLONE_NEWNS);
  }

  static void enter_namespace(const std::string& name, int kind) {
    const int fd = open(name.c_str(), O_RDONLY | O_CLOEXEC);
    const bool entered = fd >= 0 && setns(fd, kind) == 0;
    const int e = errno;
    if (fd >= 0) ::close(fd);
    if (!entered) throw std::runtime_error("the shared memory of another role can't be joined: " + name + ": " + std::strerror(e));
  }

  std::string owner_;  // the process whose memory it is
  std::string why_;    // it is not private
};

// Sharing is a role that shares memory with others, if the transport does.
template <class Role>
class Sharing : public Role {
 public:
  void enter(const versus::Setup& s) override {
    if (Options::read(s.workload).shares_memory()) memory_.enter(s.peers);
  }

 protected:
  Memory memory_;
};

}  // namespace dds_worker
