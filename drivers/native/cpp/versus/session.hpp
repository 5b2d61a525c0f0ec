// What one role does in one run.
#pragma once

#include <unistd.h>

#include <atomic>
#include <iostream>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "versus/closed.hpp"
#include "versus/logging.hpp"
#include "versus/open.hpp"
#include "versus/publish.hpp"
#include "versus/roles.hpp"
#include "versus/subscription.hpp"
#include "versus/usage.hpp"

namespace versus {

// Session is the part of one role in one run: what each message of the
// conversation makes it do.
class Session {
 public:
  explicit Session(std::unique_ptr<Role> role) : role_(std::move(role)) {}

  // enter reads the first message, while there is one thread only.
  void enter(const Json& m) {
    if (m["type"].text() != "prepare") return;
    setup_.workload = Workload::read(m["workload"]);
    setup_.listen = m["listen"].text(setup_.listen);
    clock_shift = m["clock_shift"].integer(0);
    for (const auto& [role, addresses] : m["peers"].members()) {
      for (const auto& [name, address] : addresses.members()) setup_.peers[role][name] = address.text();
    }
    role_->enter(setup_);
  }

  // handle does what a message asks and returns the answer. It throws for a
  // message out of order, and for every one after an error.
  Json handle(const Json& m) {
    const std::string type = m["type"].text(), after = last_;
    last_ = "error";
    try {
      Json answer = step(m, type, after);
      last_ = type;
      return answer;
    } catch (const Stuck&) {
      stuck_ = true;
      throw;
    }
  }

  // stop tells all threads to end. It may be called by another thread.
  void stop() {
    std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
    if (load_) load_->halt();
  }

  // close frees everything. Nothing may be in handle.
  void close() {
    stop();
    role_->close();
    if (stuck_) _exit(1);  // what the stuck thread uses can't be freed
    if (runner_.joinable()) runner_.join();
    load_.reset();  // with the callers
    role_.reset();
  }

 private:
  Json step(const Json& m, const std::string& type, const std::string& after) {
    if (type == "prepare" && after.empty()) return prepare();
    if (type == "warm_up" && after == "prepare" && load_) {
      if (!setup_.workload.warmup.empty()) load_->run(setup_.workload.warmup, false);
      return Json().set("type", "warm");
    }
    if (type == "measure" && (after == "prepare" || after == "warm_up")) return measure();
    if (type == "finish" && after == "measure" && !load_) return finish(m);
    throw std::runtime_error("message \"" + type + "\" is out of order here, after \"" + (after.empty() ? "hello" : after) + "\"");
  }

  Json prepare() {
    const Workload& w = setup_.workload;
    if (auto s = dynamic_cast<Subscriber*>(role_.get())) {
      subscription_ = std::make_unique<Subscription>(w);
      s->receive = [this](int topic, const void* message, size_t size) { subscription_->receive(topic, message, size); };
    }
    Ready ready = role_->open(setup_, stopped_);
    meter_.pid = ready.pid;
    flags_ = ready.flags;
    runner_ = std::thread([this] { run(); });
    auto load = make_load();
    {
      std::lock_guard<std::mutex> lock(mutex_);
      load_ = std::move(load);
      if (load_ && stopped_) load_->halt();
    }
    Json effective;
    effective.set("cpus", meter_.affinity());
    if (ready.pid == 0) effective.set("c++", compiler());
    if (w.rate > 0 && w.pattern == "rpc" && load_) effective.set("in_flight", std::to_string(w.in_flight));
    if (w.pattern == "pubsub") {
      const std::string shift = clock_shift ? ", shifted by " + std::to_string(clock_shift) + " ns" : "";
      effective.set("clock", "CLOCK_MONOTONIC" + shift);
    }
    for (const auto& [name, value] : ready.effective) effective.set(name, value);
    Json addresses{Json::Object{}};
    for (const auto& [name, value] : ready.addresses) addresses.set(name, value);
    return Json().set("type", "ready").set("addresses", addresses).set("effective", effective).set("clock_shift", clock_shift);
  }

  // make_load returns what an active role does, nothing for a passive one.
  std::unique_ptr<Load> make_load() {
    const Workload& w = setup_.workload;
    if (auto publisher = dynamic_cast<Publisher*>(role_.get())) return std::make_unique<PublishLoop>(*publisher, w);
    if (auto logger = dynamic_cast<Logger*>(role_.get())) return std::make_unique<LogLoad>(*logger, w);
    auto client = dynamic_cast<Client*>(role_.get());
    if (!client) return nullptr;
    std::vector<std::unique_ptr<Caller>> callers;
    for (int i = 0; i < w.concurrency * w.in_flight; i++) callers.push_back(client->caller(i));
    if (w.rate == 0) return std::make_unique<ClosedLoop>(std::move(callers));
    return std::make_unique<OpenLoop>(std::move(callers), w.concurrency, w.rate);
  }

  static std::string compiler() {
#ifdef __clang__
    return "clang " __clang_version__;
#else
    return "g++ " __VERSION__;
#endif
  }

  // run gives the role its thread.
  void run() {
    std::string error = "unknown exception";
    try {
      role_->run(stopped_);
      return;
    } catch (const std::exception& e) {
      error = e.what();
    } catch (...) {
    }
    std::cerr << error << std::endl;
    std::lock_guard<std::mutex> lock(mutex_);
    broken_ = error;
  }

  // check throws what ended the role, or its own thread.
  void check() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (!broken_.empty()) throw std::runtime_error(broken_);
    }
    role_->alive();
  }

  Json measure() {
    check();
    meter_.open();
    if (!load_) return Json().set("type", "measuring");
    load_->run(setup_.workload.measure, true);
    Json used;
    Json::Array remarks;
    meter_.close(used, remarks, true);  // first: the histograms of the report must not count
    Json result;
    Json::Array flags(flags_.begin(), flags_.end());
    flags.insert(flags.end(), remarks.begin(), remarks.end());
    load_->report(result, flags);
    for (const auto& [name, value] : used.members()) result.set(name, value);
    return answer(result, flags);
  }

  Json finish(const Json& m) {
    const int64_t sent = m["sent"].integer();
    if (subscription_) subscription_->await(sent, m["drain"].number(), stopped_);
    check();
    Json result;
    Json::Array flags(flags_.begin(), flags_.end());
    meter_.close(result, flags, false);
    if (subscription_) subscription_->report(result, flags, sent);
    return answer(result, flags);
  }

  static Json answer(Json& result, const Json::Array& flags) {
    if (!flags.empty()) result.set("flags", flags);
    return Json().set("type", "result").set("result", result);
  }

  std::unique_ptr<Role> role_;
  Setup setup_;
  std::unique_ptr<Load> load_;                  // of an active role
  std::unique_ptr<Subscription> subscription_;  // of a subscriber
  Meter meter_;
  std::vector<std::string> flags_;
  std::atomic<bool> stopped_{false};
  std::thread runner_;
  bool stuck_ = false;  // a call doesn't return
  std::mutex mutex_;    // of load_ and stopped_ together, and of broken_
  std::string broken_;  // what ended the role's own thread
  std::string last_;    // type of the last message handled, or "error"
};

}  // namespace versus
