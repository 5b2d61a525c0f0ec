// Folders that a run has for itself: a mount namespace in which they are empty
// and lie in memory. It is gone with its last process, however that ends, and no
// leftover of a crash is in it.
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "versus/roles.hpp"

namespace versus {

namespace detail {

inline void write_file(const std::string& name, const std::string& text) {
  const int fd = open(name.c_str(), O_WRONLY | O_CLOEXEC);
  const bool written = fd >= 0 && ::write(fd, text.data(), text.size()) >= 0;
  const auto error = failed(name);
  if (fd >= 0) ::close(fd);
  if (!written) throw error;
}

}  // namespace detail

// make_private gives this process, which must have one thread only, the folders
// for itself. It throws where the machine doesn't allow that; the process then
// sees what it saw before.
inline void make_private(const std::vector<std::string>& folders) {
  const std::string uid = std::to_string(geteuid()), gid = std::to_string(getegid());
  if (unshare(CLONE_NEWNS) != 0) {
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) throw failed("unshare");
    // This user remains who it is, but may mount here.
    detail::write_file("/proc/self/setgroups", "deny");
    detail::write_file("/proc/self/uid_map", uid + " " + uid + " 1");
    detail::write_file("/proc/self/gid_map", gid + " " + gid + " 1");
  }
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) throw failed("mount");
  for (size_t i = 0; i < folders.size(); i++) {
    if (mount("versus", folders[i].c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777,size=90%") == 0) continue;
    const auto error = failed("mount of " + folders[i]);
    while (i-- > 0) umount2(folders[i].c_str(), MNT_DETACH);
    throw error;
  }
}

// join_private gives this process, which must have one thread only, the private
// folders of another one.
inline void join_private(const std::string& pid) {
  struct {
    const char* name;
    int kind;
  } const spaces[] = {{"user", CLONE_NEWUSER}, {"mnt", CLONE_NEWNS}};
  for (const auto& s : spaces) {
    auto space = [&](const std::string& of) {
      char to[64] = {};
      return readlink(("/proc/" + of + "/ns/" + s.name).c_str(), to, sizeof to - 1) < 0 ? "" : std::string(to);
    };
    if (space(pid).empty()) throw std::runtime_error("process " + pid + ", whose folders were to be joined, is gone");
    if (space(pid) == space("self")) continue;
    const std::string name = "/proc/" + pid + "/ns/" + s.name;
    const int fd = open(name.c_str(), O_RDONLY | O_CLOEXEC);
    const bool joined = fd >= 0 && setns(fd, s.kind) == 0;
    const auto error = failed("the folders of another role can't be joined: " + name);
    if (fd >= 0) ::close(fd);
    if (!joined) throw error;
  }
}

}  // namespace versus
