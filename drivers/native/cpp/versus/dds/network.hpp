// Where a role is in the network: the address that it binds to, its DDS domain,
// and whom it looks for there.
#pragma once

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>

#include "versus/roles.hpp"

namespace versus::dds {

// Endpoint is an IPv4 address and a port.
struct Endpoint {
  std::string address;
  uint16_t port = 0;

  std::string text() const { return address + ":" + std::to_string(port); }

  // read throws unless text is ADDRESS:PORT.
  static Endpoint read(const std::string& text) {
    const size_t colon = text.rfind(':');
    Endpoint e;
    in_addr any;
    if (colon != std::string::npos) {
      e.address = text.substr(0, colon);
      e.port = static_cast<uint16_t>(std::strtoul(text.c_str() + colon + 1, nullptr, 10));
    }
    if (e.port == 0 || inet_pton(AF_INET, e.address.c_str(), &any) != 1) {
      throw std::runtime_error("\"" + text + "\" is no IPv4 address and port at which the other side of the run is");
    }
    return e;
  }

  sockaddr_in of_system() const {
    sockaddr_in a{};
    a.sin_family = AF_INET;
    a.sin_port = htons(port);
    if (inet_pton(AF_INET, address.c_str(), &a.sin_addr) != 1) {
      throw std::runtime_error("the host of this role has the address " + address + "; DDS goes over IPv4 here, so give its `listen` one");
    }
    return a;
  }
};

// local returns the address and port of a socket.
inline Endpoint local(int fd) {
  sockaddr_in a{};
  socklen_t size = sizeof a;
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&a), &size) != 0) throw failed("getsockname");
  char text[INET_ADDRSTRLEN];
  return {inet_ntop(AF_INET, &a.sin_addr, text, sizeof text), ntohs(a.sin_port)};
}

// address_of returns the IPv4 address of a network interface.
inline std::string address_of(const std::string& interface) {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) throw failed("the network interfaces");
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(list, freeifaddrs);
  for (const ifaddrs* i = list; i; i = i->ifa_next) {
    if (interface != i->ifa_name || !i->ifa_addr || i->ifa_addr->sa_family != AF_INET) continue;
    char text[INET_ADDRSTRLEN];
    return inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(i->ifa_addr)->sin_addr, text, sizeof text);
  }
  throw std::runtime_error("this machine has no network interface " + interface + " with an IPv4 address");
}

// address_towards returns the address from which this host reaches another one.
inline std::string address_towards(const Endpoint& other) {
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) throw failed("socket");
  const std::unique_ptr<const int, void (*)(const int*)> owner(&fd, [](const int* f) { ::close(*f); });
  const sockaddr_in a = other.of_system();
  if (connect(fd, reinterpret_cast<const sockaddr*>(&a), sizeof a) != 0) throw failed("the way to the other side, at " + other.address);
  return local(fd).address;
}

// here names this host: the kernel since it booted, the namespaces in which process
// IDs and addresses count, and what files it has.
inline std::string here() {
  std::string name;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> name;
  for (const char* space : {"/proc/self/ns/pid", "/proc/self/ns/net"}) {
    char to[64] = {};
    if (readlink(space, to, sizeof to - 1) > 0) name += std::string(" ") + to;
  }
  struct stat root{};
  if (stat("/", &root) == 0) name += " root:" + std::to_string(root.st_dev) + ":" + std::to_string(root.st_ino);
  return name;
}

// is_elsewhere reports whether a role that has told its host is on another one.
inline bool is_elsewhere(const Addresses& told) {
  const auto host = told.find("host");
  return host != told.end() && host->second != here();
}

// discovery_port is where the participant with that index in the domain listens
// for others (DDSI-RTPS 2.3, 9.6.1.1). The next one is for messages.
inline uint16_t discovery_port(int domain, int index) { return static_cast<uint16_t>(7410 + 250 * domain + 2 * index); }

struct Network {
  std::string address;    // IPv4, of this host
  std::string interface;  // that was asked for by name, or empty
  int domain = 0;
  int index = -1;    // of the participant in the domain; -1 is any
  std::string peer;  // where the other side listens for participants; empty on the passive side

  bool loopback() const { return address.rfind("127.", 0) == 0; }

  bool subnet = false;  // whatever the interface, all participants that multicast reaches are looked for

  // multicast is how participants find each other on an interface asked for by name,
  // as those of ROS 2 do. Else the active side asks the passive one, and nobody else.
  bool multicast() const { return subnet || (!interface.empty() && !loopback()); }

  std::string name() const { return loopback() ? "lo" : interface.empty() ? address : interface; }

  void report(Addresses& effective) const {
    effective["address"] = address;
    effective["discovery"] = multicast() ? "multicast" : peer.empty() ? "unicast, by the other side" : "unicast, of the peer at " + peer;
  }
};

}  // namespace versus::dds
