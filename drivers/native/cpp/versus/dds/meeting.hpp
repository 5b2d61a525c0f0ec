// How the two sides of a run over DDS find each other, and only each other: the
// passive side claims a DDS domain for the run, and tells the active side where it
// is and, over TCP, when it has matched. What claims the domain is a Unix socket in the
// abstract namespace, which ends with its process and leaves no file.
#pragma once

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

#include "versus/clock.hpp"
#include "versus/dds/network.hpp"
#include "versus/roles.hpp"

namespace versus::dds {

namespace detail {

inline int stream(int family, int flags = 0) {
  const int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
  if (fd < 0) throw failed("socket");
  return fd;
}

// unused returns whether this host has nothing at an UDP port.
inline bool unused(uint16_t port) {
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  const sockaddr_in a = Endpoint{"0.0.0.0", port}.of_system();
  const bool free = bind(fd, reinterpret_cast<const sockaddr*>(&a), sizeof a) == 0;
  ::close(fd);
  return free;
}

}  // namespace detail

// Claim is that a run has a DDS domain of this host for itself.
class Claim {
 public:
  Claim() = default;
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

  // take takes the domain, or a free one for -1, and returns its number.
  int take(int wanted) {
    for (int i = 0; i < max_domain; i++) {
      const int domain = wanted >= 0 ? wanted : 1 + (getpid() + i) % max_domain;
      if (wanted < 0 && !detail::unused(discovery_port(domain, 0))) continue;
      if (lock(domain)) return domain;
      if (wanted >= 0) {
        throw std::runtime_error("DDS domain " + std::to_string(domain) +
                                 " is in use by another run of versus; leave out `domain`, and each run takes one of its own");
      }
    }
    throw std::runtime_error("no DDS domain from 1 to 101 is free on this machine");
  }

  // follow takes the domain that the other side took on its host, here too; free says
  // that it took one that nobody uses there.
  void follow(int domain, bool free) {
    if ((!free || detail::unused(discovery_port(domain, 0))) && lock(domain)) return;
    throw std::runtime_error("DDS domain " + std::to_string(domain) + ", which the other host has for this run, is in use on this one: run it again" +
                             (free ? "" : ", or leave out `domain`"));
  }

  ~Claim() {
    if (fd_ >= 0) ::close(fd_);
  }

 private:
  // The highest domain whose ports lie below those that Linux gives to others.
  static constexpr int max_domain = 101;

  bool lock(int domain) {
    if (fd_ < 0) fd_ = detail::stream(AF_UNIX);
    const std::string name = "versus-dds-domain-" + std::to_string(domain);
    sockaddr_un a{};
    a.sun_family = AF_UNIX;  // the name begins after a zero: abstract
    std::memcpy(a.sun_path + 1, name.data(), name.size());
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    if (bind(fd_, reinterpret_cast<sockaddr*>(&a), size) == 0) return true;
    if (errno != EADDRINUSE) throw failed("bind");
    return false;
  }

  int fd_ = -1;
};

// Host is the passive side.
class Host {
 public:
  // claim takes the domain that was asked for, or for -1 one of which there is no
  // participant on this host, and opens the place to meet. The interface may be
  // empty: that of the address of this host.
  Network claim(const std::string& interface, int domain, const Setup& s, bool subnet = false) {
    Network n;
    n.interface = interface;
    n.subnet = subnet;
    n.address = interface.empty() ? s.listen : address_of(interface);
    n.domain = domain_.take(domain);
    if (!n.multicast()) n.index = index(n.domain);
    meeting_ = detail::stream(AF_INET);
    const sockaddr_in a = Endpoint{n.address, 0}.of_system();
    if (bind(meeting_, reinterpret_cast<const sockaddr*>(&a), sizeof a) != 0) throw failed("the address of this host, " + n.address);
    if (listen(meeting_, 8) != 0) throw failed("listen");
    network_ = n;
    return n;
  }

  // report says where the active side finds this one.
  void report(Ready& r) const {
    r.addresses["host"] = here();
    r.addresses["domain"] = std::to_string(network_.domain);
    r.addresses["meeting"] = local(meeting_).text();
    if (network_.index >= 0) r.addresses["peer"] = Endpoint{network_.address, discovery_port(network_.domain, network_.index)}.text();
  }

  // welcome answers whoever asks, once matched says that this side has matched.
  void welcome(std::function<bool()> matched) {
    thread_ = std::thread([this, matched] {
      while (!stopped_ && guests_.size() < most_guests) {
        pollfd p{meeting_, POLLIN, 0};
        if (poll(&p, 1, 50) <= 0) continue;
        const int guest = accept4(meeting_, nullptr, nullptr, SOCK_CLOEXEC);
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
    if (meeting_ >= 0) ::close(meeting_);
  }

 private:
  // How many participants a domain may have on this host.
  static constexpr int max_index = 50;
  // There is one; the others are strangers.
  static constexpr size_t most_guests = 8;

  // index returns the first participant that the domain does not have on this host.
  static int index(int domain) {
    for (int i = 0; i < max_index; i++) {
      if (const uint16_t port = discovery_port(domain, i); detail::unused(port) && detail::unused(port + 1)) return i;
    }
    throw std::runtime_error("DDS domain " + std::to_string(domain) + " has too many participants on this machine");
  }

  Claim domain_;
  int meeting_ = -1;
  Network network_;
  std::vector<int> guests_;
  std::atomic<bool> stopped_{false};
  std::thread thread_;
};

// Guest is the active side.
class Guest {
 public:
  // find returns where this side is, from what the passive side has told.
  Network find(const std::string& interface, const Setup& s, bool subnet = false) {
    Addresses told;
    for (const char* role : {"server", "subscriber"}) {
      if (const auto p = s.peers.find(role); p != s.peers.end()) told = p->second;
    }
    Network n;
    meeting_ = Endpoint::read(told["meeting"]);
    n.domain = std::stoi(told["domain"]);
    n.peer = told["peer"];
    n.interface = interface;
    n.subnet = subnet;
    // A host that nobody has to call need not have an address given.
    const bool given = s.listen != Setup{}.listen;
    n.address = !interface.empty() ? address_of(interface) : given ? s.listen : address_towards(meeting_);
    elsewhere_ = is_elsewhere(told) && meeting_.address != n.address;
    return network_ = n;
  }

  // far returns the address of the other side if that is on another host, else "".
  std::string far() const { return elsewhere_ ? meeting_.address : ""; }

  // claim takes the domain on this host, if the other side has it on another one.
  // It is for who looks for participants here, too. free says that any domain would do.
  void claim(bool free) {
    if (elsewhere_) domain_.follow(network_.domain, free);
  }

  // meet waits until both sides have matched. mismatch says what keeps them from
  // it for good, if that is known.
  void meet(double timeout, const std::function<bool()>& matched, const std::function<std::string()>& mismatch,
            const std::atomic<bool>& stopped) {
    const std::string where = " in DDS domain " + std::to_string(network_.domain);
    const int64_t end = now() + static_cast<int64_t>(timeout * 1e9);
    auto late = [&](const char* what) {
      if (stopped) throw std::runtime_error("stopped early");
      if (now() < end) return;
      char text[32];
      std::snprintf(text, sizeof text, "%g", timeout);
      throw std::runtime_error(std::string(what) + where + " within " + text + "s (match_timeout)" + ways());
    };
    while (!matched()) {
      const std::string reason = mismatch();
      if (!reason.empty()) throw std::runtime_error("the endpoints of the two sides don't fit" + where + ": " + reason);
      late("the other side was not discovered");
      usleep(500);
    }
    join();
    for (;;) {
      pollfd p{fd_, POLLIN, 0};
      char c;
      if (poll(&p, 1, 20) > 0) {
        const ssize_t n = recv(fd_, &c, 1, 0);
        if (n == 1) break;
        if (n < 0) throw failed("the other side of the run is not there, at " + meeting_.text());
        throw std::runtime_error("the other side of the run ended before it matched");
      }
      late("the other side did not discover this one");
    }
    thread_ = std::thread([this] {
      char c;
      pollfd p{fd_, POLLIN, 0};
      while (poll(&p, 1, -1) < 0 || recv(fd_, &c, 1, 0) > 0) {
      }
      gone_ = true;
    });
  }

  // check throws when the other side has ended.
  void check() const {
    if (gone_.load(std::memory_order_relaxed)) {
      throw Failure(connection_failure, "the process of the other side has ended");
    }
  }

  ~Guest() {
    if (fd_ >= 0) shutdown(fd_, SHUT_RDWR);
    if (thread_.joinable()) thread_.join();
    if (fd_ >= 0) ::close(fd_);
  }

 private:
  // join begins to connect: that it has, or why not, comes with the first reading.
  void join() {
    fd_ = detail::stream(AF_INET, SOCK_NONBLOCK);
    const sockaddr_in a = meeting_.of_system();
    if (connect(fd_, reinterpret_cast<const sockaddr*>(&a), sizeof a) != 0 && errno != EINPROGRESS) {
      throw failed("the other side of the run is not there, at " + meeting_.text());
    }
  }

  // ways says what must pass between two hosts, for who doesn't reach the other.
  std::string ways() const {
    if (meeting_.address == network_.address) return "";
    return std::string(": ") + (network_.multicast() ? "multicast and " : "") + "UDP must pass both ways between " + network_.address + " and " + meeting_.address + ", and TCP to the latter; `listen` of a host is its address";
  }

  Endpoint meeting_;
  Network network_;
  bool elsewhere_ = false;
  Claim domain_;
  int fd_ = -1;
  std::atomic<bool> gone_{false};
  std::thread thread_;
};

}  // namespace versus::dds
