// How the two sides of a run find each other, and only each other: the passive
// side claims a DDS domain for the run, and tells the active side when it has
// matched. Both by a Unix socket in the abstract namespace, which ends with its
// process and leaves no file.
#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>

#include "versus.hpp"

namespace dds_worker {

namespace detail {

inline std::string socket_name(int domain) { return "versus-dds-domain-" + std::to_string(domain); }

inline int stream() {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) throw versus::failed("socket");
  return fd;
}

inline socklen_t address_of(int domain, sockaddr_un& a) {
  const std::string name = socket_name(domain);
  a = {};
  a.sun_family = AF_UNIX;  // the name begins after a zero: abstract
  std::memcpy(a.sun_path + 1, name.data(), name.size());
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
}

// free_of_others returns whether no DDS participant of another program is in
// the domain: the first has the port 7410 + 250 * domain (DDSI-RTPS, 9.6.1).
inline bool free_of_others(int domain) {
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_addr.s_addr = htonl(INADDR_ANY);
  a.sin_port = htons(static_cast<uint16_t>(7410 + 250 * domain));
  const bool free = bind(fd, reinterpret_cast<sockaddr*>(&a), sizeof a) == 0;
  ::close(fd);
  return free;
}

}  // namespace detail

// Host is the passive side.
class Host {
 public:
  // The highest domain whose ports lie below those that Linux gives to others.
  static constexpr int max_domain = 101;

  // claim takes the domain, or a free one for -1, and returns its number.
  int claim(int wanted) {
    fd_ = detail::stream();
    for (int i = 0; i < max_domain; i++) {
      const int domain = wanted >= 0 ? wanted : 1 + (getpid() + i) % max_domain;
      sockaddr_un a;
      const socklen_t size = detail::address_of(domain, a);
      if (wanted < 0 && !detail::free_of_others(domain)) continue;
      if (bind(fd_, reinterpret_cast<sockaddr*>(&a), size) == 0) {
        if (listen(fd_, 8) != 0) throw versus::failed("listen");
        return domain;
      }
      if (errno != EADDRINUSE) throw versus::failed("bind");
      if (wanted >= 0) {
        throw std::runtime_error("DDS domain " + std::to_string(domain) +
                                 " is in use by another run of versus; leave out `domain`, and each run takes one of its own");
      }
    }
    throw std::runtime_error("no DDS domain from 1 to 101 is free on this machine");
  }

  // welcome answers whoever asks, once matched says that this side has matched.
  void welcome(std::function<bool()> matched) {
    thread_ = std::thread([this, matched] {
      while (!stopped_) {
        pollfd p{fd_, POLLIN, 0};
        if (poll(&p, 1, 50) <= 0) continue;
        const int guest = accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
        if (guest < 0) continue;
        while (!stopped_ && !matched()) usleep(500);
        if (stopped_ || send(guest, "m", 1, MSG_NOSIGNAL) != 1) {
          ::close(guest);
          continue;
        }
        guests_.push_back(guest);  // open for as long as this side lives
      }
    });
  }

  ~Host() {
    stopped_ = true;
    if (thread_.joinable()) thread_.join();
    for (int g : guests_) ::close(g);
    if (fd_ >= 0) ::close(fd_);
  }

 private:
  int fd_ = -1;
  std::vector<int> guests_;
  std::atomic<bool> stopped_{false};
  std::thread thread_;
};

// Guest is the active side.
class Guest {
 public:
  // meet waits until both sides have matched. mismatch says what keeps them from
  // it for good, if that is known.
  void meet(int domain, double timeout, const std::function<bool()>& matched, const std::function<std::string()>& mismatch,
            const std::atomic<bool>& stopped) {
    const std::string where = " in DDS domain " + std::to_string(domain);
    const int64_t end = versus::now() + static_cast<int64_t>(timeout * 1e9);
    auto late = [&](const char* what) {
      if (stopped) throw std::runtime_error("stopped early");
      if (versus::now() < end) return;
      char text[32];
      std::snprintf(text, sizeof text, "%g", timeout);
      throw std::runtime_error(std::string(what) + where + " within " + text + "s (match_timeout)");
    };
    while (!matched()) {
      const std::string reason = mismatch();
      if (!reason.empty()) throw std::runtime_error("the endpoints of the two sides don't fit" + where + ": " + reason);
      late("the other side was not discovered");
      usleep(500);
    }
    fd_ = detail::stream();
    sockaddr_un a;
    const socklen_t size = detail::address_of(domain, a);
    if (connect(fd_, reinterpret_cast<sockaddr*>(&a), size) != 0) {
      throw versus::failed("the other side of the run is not there");
    }
    for (;;) {
      pollfd p{fd_, POLLIN, 0};
      char c;
      if (poll(&p, 1, 20) > 0) {
        if (recv(fd_, &c, 1, 0) == 1) break;
        throw std::runtime_error("the other side of the run ended before it matched");
      }
      late("the other side did not discover this one");
    }
    thread_ = std::thread([this] {
      char c;
      while (recv(fd_, &c, 1, 0) > 0) {
      }
      gone_ = true;
    });
  }

  // check throws when the other side has ended.
  void check() const {
    if (gone_.load(std::memory_order_relaxed)) {
      throw versus::Failure(versus::connection_failure, "the process of the other side has ended");
    }
  }

  ~Guest() {
    if (fd_ >= 0) shutdown(fd_, SHUT_RDWR);
    if (thread_.joinable()) thread_.join();
    if (fd_ >= 0) ::close(fd_);
  }

 private:
  int fd_ = -1;
  std::atomic<bool> gone_{false};
  std::thread thread_;
};

// meeting_place returns the domain that the passive side has told.
inline int meeting_place(const versus::Peers& peers) {
  for (const char* role : {"server", "subscriber"}) {
    const auto p = peers.find(role);
    if (p == peers.end()) continue;
    const auto d = p->second.find("domain");
    if (d != p->second.end()) return std::stoi(d->second);
  }
  throw std::runtime_error("the passive side has not told its DDS domain");
}

}  // namespace dds_worker
