// What all roles share: Ice's runtime, set up as the backend's options say, and
// its failures as the kit wants them.
#pragma once

#include <Ice/Ice.h>

#include <sstream>

#include "versus.hpp"

// text returns what an exception of Ice says, on one line.
inline std::string text(const Ice::Exception& e) {
  std::ostringstream out;
  out << e;
  std::string s = out.str();
  for (char& c : s) {
    if (c == '\n') c = ' ';
  }
  return s;
}

// rethrow passes an exception of Ice on as one of a kind that all drivers share.
[[noreturn]] inline void rethrow(const Ice::Exception& e) {
  const bool timeout = dynamic_cast<const Ice::TimeoutException*>(&e) || dynamic_cast<const Ice::InvocationTimeoutException*>(&e);
  const bool connection = dynamic_cast<const Ice::SocketException*>(&e) || dynamic_cast<const Ice::ConnectionManuallyClosedException*>(&e) ||
                          dynamic_cast<const Ice::CloseConnectionException*>(&e);
  throw versus::Failure(timeout ? versus::deadline_failure : connection ? versus::connection_failure : "other", text(e));
}

// guard calls f and passes on what it throws.
template <class F>
auto guard(F f) {
  try {
    return f();
  } catch (const Ice::Exception& e) {
    rethrow(e);
  }
}

// Runtime owns a communicator.
class Runtime {
 public:
  // start creates the communicator with the properties, beyond those of the options.
  void start(const versus::Setup& s, const std::map<std::string, std::string>& more = {}) {
    host_ = s.listen;
    Ice::InitializationData data;
    data.properties = Ice::createProperties();
    if (s.workload.options["compress"].boolean()) data.properties->setProperty("Ice.Override.Compress", "1");
    for (const auto& [name, value] : more) data.properties->setProperty(name, value);
    communicator_ = guard([&] { return Ice::initialize(data); });
  }
  const std::shared_ptr<Ice::Communicator>& operator->() const { return communicator_; }

  // listen returns an object adapter on a free port.
  std::shared_ptr<Ice::ObjectAdapter> listen() const {
    return communicator_->createObjectAdapterWithEndpoints("role", "tcp -h " + host_);
  }

  // effective returns what a role reports.
  versus::Addresses effective(const versus::Workload& w) const {
    return {{"ice", ICE_STRING_VERSION},
            {"transport", "TCP"},
            {"compress", w.options["compress"].boolean() ? "bzip2, from 100 bytes on" : "no"}};
  }

  void stop() {
    if (communicator_) communicator_->destroy();
  }

 private:
  std::string host_;
  std::shared_ptr<Ice::Communicator> communicator_;
};
