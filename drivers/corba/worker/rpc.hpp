// Request/response: the server, and the client with every kind of call.
#pragma once

#include "orb.hpp"

class TargetServant : public POA_Bench::Target {
 public:
  void ping() override {}
  void putBytes(const Bench::Bytes&) override {}
  void putLines(const Bench::Lines&) override {}
  void putItems(const Bench::Items&) override {}
  void sendPing() override {}
  void sendBytes(const Bench::Bytes&) override {}
  void sendLines(const Bench::Lines&) override {}
  void sendItems(const Bench::Items&) override {}
};

class TargetServer : public versus::Server {
 public:
  versus::Ready open(const versus::Setup& s, const std::atomic<bool>&) override {
    orb_.start(s);
    return guard([&] { return versus::Ready{{{"reference", orb_.publish(new TargetServant)}}, orb_.effective(true)}; });
  }
  void run(const std::atomic<bool>&) override { orb_.serve(orb_.threads()); }
  void close() override { orb_.stop(); }

 private:
  Runtime orb_;
};

// ReplyHandler gets the answers to asynchronous calls, one at a time.
class ReplyHandler : public POA_Bench::AMI_TargetHandler {
 public:
  // A handler whose answers are taken by the thread that waits, if there is no
  // other that runs the ORB: TAO only.
  ReplyHandler(CORBA::ORB_ptr orb, bool alone) : orb_(orb), alone_(alone) {}

  void begin() { answered_ = false; }
  // await returns when the answer is there, and throws the exception that it was.
  void await() {
    if (alone_) {
      while (!answered_) orb_->perform_work();
    } else {
      std::unique_lock<std::mutex> lock(mutex_);
      arrived_.wait(lock, [this] { return answered_.load(); });
    }
    if (failure_) {
      const auto failure = std::exchange(failure_, nullptr);
      std::rethrow_exception(failure);
    }
  }

  void ping() override { answer(); }
  void putBytes() override { answer(); }
  void putLines() override { answer(); }
  void putItems() override { answer(); }
  void ping_excep(::Messaging::ExceptionHolder* e) override { fail(e); }
  void putBytes_excep(::Messaging::ExceptionHolder* e) override { fail(e); }
  void putLines_excep(::Messaging::ExceptionHolder* e) override { fail(e); }
  void putItems_excep(::Messaging::ExceptionHolder* e) override { fail(e); }

 private:
  void answer() {
    std::lock_guard<std::mutex> lock(mutex_);
    answered_ = true;
    arrived_.notify_one();
  }
  void fail(::Messaging::ExceptionHolder* e) {
    try {
      guard([e] { e->raise_exception(); });
    } catch (...) {
      failure_ = std::current_exception();
    }
    answer();
  }

  CORBA::ORB_ptr orb_;
  bool alone_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::atomic<bool> answered_{false};
  std::exception_ptr failure_;
};

class TargetCaller : public versus::Caller {
 public:
  TargetCaller(const Runtime& orb, Bench::Target_ptr target, const versus::Workload& w, bool alone) : target_(target), oneway_(w.call == "oneway") {
    if (w.call == "async") {
      handler_ = new ReplyHandler(orb.orb(), alone);
      CORBA::Object_var reference = orb.activate(handler_);
      replies_ = Bench::AMI_TargetHandler::_narrow(reference.in());
    }
    invoke_ = invocation(w.payload);
  }

  void call() override {
    enroll();
    guard([this] {
      if (handler_) handler_->begin();
      invoke_();
      if (handler_) handler_->await();
    });
  }

  // A twoway call returns after everything sent before it on the same connection
  // has been received.
  void finish() override {
    if (oneway_) guard([this] { target_->ping(); });
  }

 private:
  std::function<void()> invocation(const versus::Payload& p) const {
    const auto t = target_;
    const auto replies = replies_.in();
    if (p.kind == "structs") {
      const auto texts = p.lines();
      auto items = std::make_shared<Bench::Items>();
      items->length(static_cast<CORBA::ULong>(p.count));
      for (CORBA::ULong i = 0; i < items->length(); i++) {
        (*items)[i].text = CORBA::string_dup(texts[i % texts.size()].c_str());
        (*items)[i].value = p.value;
      }
      if (handler_) return [t, items, replies] { t->sendc_putItems(replies, *items); };
      if (oneway_) return [t, items] { t->sendItems(*items); };
      return [t, items] { t->putItems(*items); };
    }
    if (p.kind == "lines") {
      const auto texts = p.lines();
      auto lines = std::make_shared<Bench::Lines>();
      lines->length(static_cast<CORBA::ULong>(texts.size()));
      for (CORBA::ULong i = 0; i < lines->length(); i++) (*lines)[i] = CORBA::string_dup(texts[i].c_str());
      if (handler_) return [t, lines, replies] { t->sendc_putLines(replies, *lines); };
      if (oneway_) return [t, lines] { t->sendLines(*lines); };
      return [t, lines] { t->putLines(*lines); };
    }
    if (p.bytes == 0) {  // a call without an argument
      if (handler_) return [t, replies] { t->sendc_ping(replies); };
      if (oneway_) return [t] { t->sendPing(); };
      return [t] { t->ping(); };
    }
    const std::string content = p.content();
    auto bytes = std::make_shared<Bench::Bytes>();
    bytes->length(static_cast<CORBA::ULong>(content.size()));
    std::memcpy(bytes->get_buffer(), content.data(), content.size());
    if (handler_) return [t, bytes, replies] { t->sendc_putBytes(replies, *bytes); };
    if (oneway_) return [t, bytes] { t->sendBytes(*bytes); };
    return [t, bytes] { t->putBytes(*bytes); };
  }

  Bench::Target_ptr target_;  // the client's
  bool oneway_;
  ReplyHandler* handler_ = nullptr;  // of asynchronous calls; the ORB's
  Bench::AMI_TargetHandler_var replies_;
  std::function<void()> invoke_;
};

class TargetClient : public versus::Client {
 public:
  versus::Ready open(const versus::Setup& s, const std::atomic<bool>&) override {
    workload_ = s.workload;
    orb_.start(s);
    return guard([&] {
      CORBA::Object_var object = orb_.find(s.peers.at("server").at("reference"));
      auto effective = orb_.effective(false);
#ifdef USE_TAO
      // A oneway call returns when the kernel has it: TAO's default, and that of
      // the comparison of 2005.
      CORBA::Any scope;
      scope <<= Messaging::SYNC_WITH_TRANSPORT;
      CORBA::PolicyList policies(1);
      policies.length(1);
      policies[0] = orb_.orb()->create_policy(Messaging::SYNC_SCOPE_POLICY_TYPE, scope);
      object = object->_set_policy_overrides(policies, CORBA::SET_OVERRIDE);
      policies[0]->destroy();
      effective["oneway"] = "SYNC_WITH_TRANSPORT";
      // One caller takes its answers itself; several would take each other's.
      alone_ = workload_.concurrency * workload_.in_flight == 1;
#endif
      target_ = Bench::Target::_narrow(object.in());
      if (CORBA::is_nil(target_.in())) throw std::runtime_error("the server's reference is to something else");
      target_->ping();  // connects
      return versus::Ready{{}, effective};
    });
  }
  std::unique_ptr<versus::Caller> caller(int) override { return std::make_unique<TargetCaller>(orb_, target_.in(), workload_, alone_); }
  void run(const std::atomic<bool>&) override {
    if (workload_.call == "async" && !alone_) orb_.serve(1);
  }
  void close() override { orb_.stop(); }

 private:
  Runtime orb_;
  versus::Workload workload_;
  bool alone_ = false;
  Bench::Target_var target_;
};
