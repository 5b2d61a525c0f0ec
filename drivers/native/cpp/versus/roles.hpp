// What a backend brings: one class for each role that it plays. The kit has the
// conversation, the load, the recording and the clock; see main.hpp.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "versus/workload.hpp"

namespace versus {

// Setup is what a role is given to prepare itself.
struct Setup {
  Workload workload;
  Peers peers;
  std::string listen = "127.0.0.1";  // the address of this host at which other roles reach it
};

// Ready is what a prepared role reports.
struct Ready {
  Addresses addresses;  // what later roles need to reach this one
  Addresses effective;  // settings really in force: versions, transport, threads
  pid_t pid = 0;        // the process whose CPU and memory count, if not this one
  std::vector<std::string> flags{};  // remarks for the audit: "fallback: ..."
};

// Failure is a failed call or publication of a kind: a short name of a-z, 0-9
// and _, that a scenario sees as the metric errors.KIND. Any other
// std::exception is of the kind "other".
class Failure : public std::runtime_error {
 public:
  Failure(std::string kind, const std::string& what) : std::runtime_error(what), kind(std::move(kind)) {}
  const std::string kind;
};

// The kinds that all drivers share.
constexpr const char* deadline_failure = "deadline";      // no answer in time
constexpr const char* connection_failure = "connection";  // refused, reset, closed
constexpr const char* answer_failure = "answer";          // an answer of the wrong length

// failed returns what failed with the words of the system (errno), to be thrown.
inline std::runtime_error failed(const std::string& what) { return std::runtime_error(what + ": " + std::strerror(errno)); }

// Role is what all roles have. Whatever a role throws must derive from
// std::exception: translate those of a middleware that don't.
class Role {
 public:
  virtual ~Role() = default;

  // enter is called first, while the process has one thread only: the place to
  // join a namespace or to set variables of the environment.
  virtual void enter(const Setup&) {}

  // open makes the role ready: a server listens, a client is connected, a
  // subscriber subscribed. stopped is set when the worker must end: whoever
  // waits long has to look at it.
  virtual Ready open(const Setup&, const std::atomic<bool>& stopped) = 0;

  // run is called on a thread of its own after open, for a loop that serves,
  // receives or dispatches. It returns soon after stopped is set.
  virtual void run(const std::atomic<bool>& /*stopped*/) {}

  // alive is called when the window opens, and when that of a passive role
  // closes. It throws if what the role needs is gone: a daemon that has died.
  virtual void alive() {}

  // close ends the role, after stopped is set. It is called by another thread
  // while run may still be running, and makes it return; also when open failed
  // or was never called. The destructor follows, when run has returned.
  virtual void close() {}
};

// Server is a passive role: a server, a broker or a daemon.
class Server : public Role {};

// Caller makes calls one at a time. Callers of one client are used by different
// threads at the same time, but each by one at a time.
class Caller {
 public:
  virtual ~Caller() = default;

  // call makes one call with the workload's payload, waits for the answer if
  // the kind of call has one, and checks that it has the expected length. It
  // throws what went wrong. It allocates nothing of its own.
  virtual void call() = 0;

  // finish is called after the last call of a phase, before the clock of a
  // closed loop stops: it sends what has been gathered, and waits until it has
  // left this process. For calls without an answer.
  virtual void finish() {}
};

// Client is an active role that makes calls.
class Client : public Role {
 public:
  // caller returns number i of the callers. It is called after open.
  virtual std::unique_ptr<Caller> caller(int i) = 0;
};

// Publisher is an active role. Different topics are used by different threads
// at the same time, but each by one at a time.
class Publisher : public Role {
 public:
  // publish sends one message. It is the kit's buffer, stamped already, and
  // valid only until publish returns. Throws what went wrong.
  virtual void publish(int topic, const void* message, size_t size) = 0;

  // For transfer = "loan": loan returns memory of the middleware, aligned to 8,
  // where the message is made, and publish_loan sends it from there. The kit
  // writes the stamp and leaves the rest as it is: what filling a message
  // takes is the application's, not the middleware's.
  virtual void* loan(int /*topic*/, size_t /*size*/) { throw std::logic_error("this driver has no loans"); }
  virtual void publish_loan(int /*topic*/, void* /*chunk*/, size_t /*size*/) {}
};

// Logger is an active role that is alone in its run.
class Logger : public Role {
 public:
  // log logs the workload's line once. Several threads call it at the same time.
  virtual void log() = 0;

  // flush returns when all lines logged so far have been handed to the sink.
  // Nobody logs meanwhile.
  virtual void flush() = 0;

  // lines returns how many lines have arrived at the sink since it was last
  // called, or unknown. It is called after flush, and costs nothing that is measured.
  virtual int64_t lines() = 0;
  static constexpr int64_t unknown = -1;

  // batch is the number of calls that a closed loop times together: a call that
  // takes not much longer than reading the clock can't be timed alone.
  virtual int batch() const = 0;
};

// Receive takes one message: its topic, and where it is. It may be called from
// any thread, but from one at a time for each topic.
using Receive = std::function<void(int topic, const void* message, size_t size)>;

// Subscriber is a passive role. With transfer = "copy" it copies each message
// into memory of its own before it hands it over; with "loan" it hands over
// that of the middleware. It may hand over from threads of the middleware, or
// from run.
class Subscriber : public Role {
 public:
  // Set by the kit before open.
  Receive receive;
};

// Roles are the roles of a driver by name: {"server", [] { return std::make_unique<MyServer>(); }}.
using Roles = std::map<std::string, std::function<std::unique_ptr<Role>()>>;

}  // namespace versus
