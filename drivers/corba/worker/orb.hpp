// What all roles share: the ORB, and its failures as the kit wants them. The code
// keeps to the C++ mapping that both ORBs have; where they differ, it says so.
#pragma once

#ifdef USE_TAO
#include "BenchC.h"
#include "BenchS.h"
#include "tao/AnyTypeCode/Any.h"
#include "tao/AnyTypeCode/OctetSeqA.h"
#include "tao/Messaging/Messaging.h"
#include "tao/PortableServer/PortableServer.h"
#include "tao/Version.h"
#else
#include "Bench.hh"
#endif

#include "versus.hpp"

// text returns what an exception of the ORB says, on one line.
inline std::string text(const CORBA::Exception& e) {
#ifdef USE_TAO
  std::string s = e._info().c_str();
  for (char& c : s) {
    if (c == '\n') c = ' ';
  }
  return s;
#else
  std::string s = e._name();
  if (auto system = CORBA::SystemException::_downcast(&e)) {
    const char* minor = system->NP_minorString();
    if (minor) s += std::string(" (") + minor + ")";
  }
  return s;
#endif
}

// rethrow passes an exception of the ORB on as one of a kind that all drivers share.
[[noreturn]] inline void rethrow(const CORBA::Exception& e) {
  const bool timeout = CORBA::TIMEOUT::_downcast(&e) != nullptr;
  const bool connection = CORBA::COMM_FAILURE::_downcast(&e) || CORBA::TRANSIENT::_downcast(&e);
  throw versus::Failure(timeout ? versus::deadline_failure : connection ? versus::connection_failure : "other", text(e));
}

// guard calls f and passes on what it throws.
template <class F>
auto guard(F f) {
  try {
    return f();
  } catch (const CORBA::Exception& e) {
    rethrow(e);
  }
}

// enroll makes the calling thread known to the ORB, once: to omniORB every thread
// that it did not start is a new one with each call otherwise, which takes 1.5 us.
inline void enroll() {
#ifndef USE_TAO
  thread_local omni_thread::ensure_self known;
#endif
}

// Runtime owns an ORB that listens on the role's address only.
class Runtime {
 public:
  // start creates the ORB, for so many callers; further arguments are the ORB's own.
  void start(const versus::Setup& s, std::vector<std::string> more = {}) {
    const versus::Workload& w = s.workload;
    threads_ = w.options["thread_pool"].integer();
    const int callers = w.concurrency * w.in_flight;
    std::vector<std::string> list{"versus"};
#ifdef USE_TAO
    (void)callers;
    more.insert(more.end(), {"-ORBListenEndpoints", "iiop://" + s.listen});
#else
    more.insert(more.end(), {"-ORBendPoint", "giop:tcp:" + s.listen + ":"});
    // Else each string is converted, from and to ISO 8859-1.
    more.insert(more.end(), {"-ORBnativeCharCodeSet", "UTF-8"});
    // A call has a connection for itself, and only 5 at a time by default.
    more.insert(more.end(), {"-ORBmaxGIOPConnectionPerServer", std::to_string(std::max(5, callers))});
    if (threads_ > 0) {
      more.insert(more.end(), {"-ORBthreadPerConnectionPolicy", "0", "-ORBmaxServerThreadPoolSize", std::to_string(threads_)});
    }
#endif
    list.insert(list.end(), more.begin(), more.end());
    std::vector<char*> argv;
    for (auto& text : list) argv.push_back(text.data());
    int argc = static_cast<int>(argv.size());
    guard([&] {
      orb_ = CORBA::ORB_init(argc, argv.data());
      CORBA::Object_var object = orb_->resolve_initial_references("RootPOA");
      poa_ = PortableServer::POA::_narrow(object.in());
      PortableServer::POAManager_var manager = poa_->the_POAManager();
      manager->activate();
    });
  }

  // publish makes a servant reachable, and returns the reference in words. The
  // ORB keeps the servant.
  std::string publish(PortableServer::ServantBase* servant) const {
    CORBA::Object_var reference = activate(servant);
    CORBA::String_var words = orb_->object_to_string(reference.in());
    return words.in();
  }
  // activate returns the reference; the caller frees it.
  CORBA::Object_ptr activate(PortableServer::ServantBase* servant) const {
    PortableServer::ObjectId_var id = poa_->activate_object(servant);
    servant->_remove_ref();
    return poa_->id_to_reference(id.in());
  }
  // find returns the object with that reference; the caller frees it.
  CORBA::Object_ptr find(const std::string& reference) const { return orb_->string_to_object(reference.c_str()); }

  // serve dispatches calls until the ORB is shut down. TAO does so in the threads
  // that it is given; omniORB has its own.
  void serve(int64_t threads) {
#ifdef USE_TAO
    std::vector<std::thread> others;
    auto run = [this] {
      try {
        orb_->run();
      } catch (const CORBA::Exception& e) {
        std::cerr << text(e) << std::endl;
      }
    };
    for (int64_t i = 1; i < threads; i++) others.emplace_back(run);
    run();
    for (auto& t : others) t.join();
#else
    (void)threads;
#endif
  }

  // effective returns what a role reports; one that serves says with how many threads.
  versus::Addresses effective(bool serves) const {
    versus::Addresses e{{"transport", "IIOP over TCP"}};
#ifdef USE_TAO
    e["orb"] = "TAO " TAO_VERSION;
    e["socket_buffers"] = std::to_string(ACE_DEFAULT_MAX_SOCKET_BUFSIZ) + " bytes, TAO's default";
    if (serves) e["threads"] = std::to_string(std::max<int64_t>(threads_, 1));
#else
    e["orb"] = std::string("omniORB ") + omniORB::versionString();
    if (serves) e["threads"] = threads_ > 0 ? std::to_string(threads_) : "one for each connection";
#endif
    return e;
  }

  int64_t threads() const { return threads_; }
  CORBA::ORB_ptr orb() const { return orb_.in(); }
  PortableServer::POA_ptr poa() const { return poa_.in(); }

  // stop returns when the ORB serves no more calls.
  void stop() {
    if (CORBA::is_nil(orb_.in())) return;
    try {
      orb_->shutdown(true);
    } catch (const CORBA::Exception& e) {
      std::cerr << text(e) << std::endl;
    }
  }

 private:
  CORBA::ORB_var orb_;
  PortableServer::POA_var poa_;
  int64_t threads_ = 0;
};
