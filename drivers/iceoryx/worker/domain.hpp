// Where RouDi and its clients meet: the folder of shared memory and the folder of
// sockets and locks, whose names are fixed in iceoryx. A run has both for itself,
// in a mount namespace that ends with its last process, whatever happens.
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>

#include "iceoryx_hoofs/platform/platform_settings.hpp"

namespace domain {

constexpr const char* shared_memory = "/dev/shm";
inline std::string sockets() { return iox::platform::IOX_UDS_SOCKET_PATH_PREFIX; }

[[noreturn]] inline void fail(const std::string& what) { throw std::runtime_error(what + ": " + std::strerror(errno)); }

inline void write_file(const std::string& name, const std::string& text) {
  const int fd = open(name.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0 || write(fd, text.data(), text.size()) < 0) fail(name);
  close(fd);
}

// make puts this process, which must have one thread only, into a domain of its
// own. It throws where the machine doesn't allow that; the process is then as
// it was, but for a namespace that sees the same.
inline void make() {
  const std::string uid = std::to_string(getuid()), gid = std::to_string(getgid());
  if (unshare(CLONE_NEWNS) != 0) {
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) fail("unshare");
    // This user remains who it is, but may mount here.
    write_file("/proc/self/setgroups", "deny");
    write_file("/proc/self/uid_map", uid + " " + uid + " 1");
    write_file("/proc/self/gid_map", gid + " " + gid + " 1");
  }
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) fail("mount");
  auto hide = [](const std::string& folder) {
    return mount("iceoryx", folder.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777,size=90%") == 0;
  };
  if (!hide(sockets())) fail("mount of " + sockets());
  if (!hide(shared_memory)) {
    const int why = errno;
    umount2(sockets().c_str(), MNT_DETACH);
    errno = why;
    fail(std::string("mount of ") + shared_memory);
  }
}

// join puts this process, which must have one thread only, into the domain of another.
inline void join(const std::string& pid) {
  const std::string ns = "/proc/" + pid + "/ns/";
  auto link = [](const std::string& name) {
    char to[64] = {};
    return readlink(name.c_str(), to, sizeof to - 1) < 0 ? "" : std::string(to);
  };
  if (link(ns + "mnt").empty()) throw std::runtime_error("the broker with process number " + pid + " is gone");
  if (link(ns + "mnt") == link("/proc/self/ns/mnt")) return;
  const int user = open((ns + "user").c_str(), O_RDONLY | O_CLOEXEC), mnt = open((ns + "mnt").c_str(), O_RDONLY | O_CLOEXEC);
  if (user < 0 || mnt < 0) fail("the namespaces of the broker");
  if (link(ns + "user") != link("/proc/self/ns/user") && setns(user, CLONE_NEWUSER) != 0) fail("user namespace of the broker");
  if (setns(mnt, CLONE_NEWNS) != 0) fail("mount namespace of the broker");
  close(user);
  close(mnt);
}

}  // namespace domain
