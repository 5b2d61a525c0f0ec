// What an active role does: calls in a closed loop, calls in an open loop, or
// publishing. The rules are those of docs/worker-protocol.md, "How to measure".
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <functional>
#include <future>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "versus/clock.hpp"
#include "versus/recorder.hpp"
#include "versus/roles.hpp"
#include "versus/subscription.hpp"

namespace versus {

// How long calls that were due in the window may still be sent after its end,
// and how long those that were sent may stay unanswered after that, ns.
constexpr int64_t drain_time = 2'000'000'000;
constexpr int64_t patience = 10'000'000'000;

// From the start of an open loop until its first slot, ns: threads need some to get ready.
constexpr int64_t lead_time = 2'000'000;

// Failures counts the failed calls of one caller.
class Failures {
 public:
  // add counts the exception being handled, and throws when there were too many in a row.
  void add() {
    std::string kind = "other", text = "unknown exception";
    try {
      throw;
    } catch (const Failure& f) {
      kind = f.kind, text = f.what();
    } catch (const std::exception& e) {
      text = e.what();
    } catch (...) {
    }
    auto& k = kinds_[kind];
    if (k.count++ == 0) k.first = text.substr(0, 500);
    if (++in_a_row_ >= max_in_a_row) {
      throw std::runtime_error("gave up after " + std::to_string(in_a_row_) + " calls in a row failed; the first one: " + k.first);
    }
  }
  void succeeded() { in_a_row_ = 0; }
  void reset() { kinds_.clear(), in_a_row_ = 0; }

  // merge adds the counts to those of all callers.
  void merge(Failures& all) const {
    for (const auto& [kind, k] : kinds_) {
      auto& a = all.kinds_[kind];
      if (a.count == 0) a.first = k.first;
      a.count += k.count;
    }
  }
  void unsent(int64_t n, Json::Array& flags) {
    if (n == 0) return;
    kinds_["unsent"].count += n;
    flags.push_back("overload: " + std::to_string(n) + " messages that were due in the window had not been sent 2s after its end");
  }
  void report(Json& result, Json::Array& flags) const {
    if (kinds_.empty()) return;
    Json errors;
    for (const auto& [kind, k] : kinds_) {
      errors.set(kind, k.count);
      if (!k.first.empty()) flags.push_back("error " + kind + ": " + k.first);
    }
    result.set("errors", errors);
  }

 private:
  static constexpr int max_in_a_row = 1000;
  struct Kind {
    int64_t count = 0;
    std::string first;  // message
  };
  std::map<std::string, Kind> kinds_;
  int in_a_row_ = 0;
};

// Stuck says that a thread doesn't return from a call: what it uses must live on.
class Stuck : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Crew runs threads that may throw.
class Crew {
 public:
  explicit Crew(std::function<void()> stop) : state_(std::make_shared<State>()) { state_->stop = std::move(stop); }

  // Ends the threads that still run, if one could not be started.
  ~Crew() {
    std::unique_lock<std::mutex> lock(state_->mutex);
    if (state_->running == 0 || state_->given_up) return;
    state_->stop();
    state_->ended.wait(lock, [this] { return state_->running == 0; });
  }

  void start(std::function<void()> f) {
    std::lock_guard<std::mutex> lock(state_->mutex);
    std::thread([state = state_, f = std::move(f)] {
      std::string error;
      try {
        f();
      } catch (const std::exception& e) {
        error = e.what();
      } catch (...) {
        error = "unknown exception";
      }
      std::lock_guard<std::mutex> lock(state->mutex);
      if (!error.empty() && state->error.empty()) {
        state->error = error;
        state->stop();
      }
      state->running--;
      state->ended.notify_all();
    }).detach();
    state_->running++;
  }

  // wait waits for all threads and throws the first failure. It ends them when a
  // deadline on the monotonic clock has passed; 0 is none.
  void wait(int64_t deadline) {
    std::unique_lock<std::mutex> lock(state_->mutex);
    auto idle = [this] { return state_->running == 0; };
    if (deadline == 0) {
      state_->ended.wait(lock, idle);
    } else if (!state_->ended.wait_for(lock, std::chrono::nanoseconds(std::max<int64_t>(deadline - now(), 0)), idle)) {
      state_->stop();
      if (!state_->ended.wait_for(lock, std::chrono::nanoseconds(patience), idle)) {
        state_->given_up = true;
        throw Stuck("a call got no answer within 12s after the end of the window");
      }
    }
    if (!state_->error.empty()) throw std::runtime_error(state_->error);
  }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable ended;
    int running = 0;
    bool given_up = false;
    std::string error;
    std::function<void()> stop;
  };
  std::shared_ptr<State> state_;  // outlives this, for threads that got stuck
};

// Load runs once to warm up and once for the window.
class Load {
 public:
  virtual ~Load() = default;

  // run makes load for the extent and returns when the last call was answered.
  // What an earlier run recorded is forgotten.
  virtual void run(const Extent& x, bool measured) = 0;

  // report writes what the last run recorded.
  virtual void report(Json& result, Json::Array& flags) = 0;

  // halt ends the present run and all later ones early, from any thread.
  virtual void halt() { halted_ = stopped_ = true; }

 protected:
  void begin() {
    stopped_ = false;
    if (halted_) throw std::runtime_error("stopped early");
  }
  void end() {
    if (halted_) throw std::runtime_error("stopped early");
  }
  std::atomic<bool> stopped_{false};  // this run: too many failures, or its time is over
  std::atomic<bool> halted_{false};   // all runs
};

// slots_within returns how many of the points phase, phase+1, ... lie below periods.
inline int64_t slots_within(double periods, double phase) {
  return std::max<int64_t>(static_cast<int64_t>(std::ceil(periods - phase - 1e-9)), 0);
}

// ClosedLoop has each caller make one call after the other, without a pause.
class ClosedLoop : public Load {
 public:
  explicit ClosedLoop(std::vector<std::unique_ptr<Caller>> callers) {
    const int n = static_cast<int>(callers.size());
    for (auto& c : callers) loops_.push_back(std::make_unique<Loop>(std::move(c), n));
  }

  void run(const Extent& x, bool) override {
    begin();
    const int n = static_cast<int>(loops_.size()), cut = windows_in(x, n);
    Crew crew([this] { stopped_ = true; });
    std::promise<int64_t> gate;
    std::shared_future<int64_t> opened = gate.get_future().share();
    for (int i = 0; i < n; i++) {
      Loop& l = *loops_[i];
      const int64_t calls = x.calls > 0 ? share(x.calls, i, n) : std::numeric_limits<int64_t>::max();
      l.reset();
      l.by_call = x.calls > 0;
      if (l.by_call) l.windows.begin(cut, 0, static_cast<double>(calls));
      crew.start([&l, opened, calls, this] { l.run(opened.get(), calls, stopped_); });
    }
    int64_t deadline = std::numeric_limits<int64_t>::max(), last = 0;
    if (x.calls == 0) {
      const int64_t start = now();
      deadline = start + static_cast<int64_t>(x.seconds * 1e9);
      last = deadline + drain_time;
      for (auto& l : loops_) l->windows.begin(cut, start, x.seconds * 1e9);
    }
    gate.set_value(deadline);
    crew.wait(last);
    end();
  }

  void report(Json& result, Json::Array& flags) override {
    Recorder latency;
    Windows windows;
    Failures failures;
    int64_t sent = 0, start = std::numeric_limits<int64_t>::max(), end = 0;
    for (auto& l : loops_) {
      latency.add(l->latency);
      windows.add(l->windows);
      l->failures.merge(failures);
      sent += l->sent;
      start = std::min(start, l->start), end = std::max(end, l->end);
    }
    result.set("elapsed", seconds(end - start)).set("sent", sent).set("received", latency.count());
    failures.report(result, flags);
    if (latency.count() > 0) result.set("windows", windows.list()).set("latency", latency.distribution());
  }

 private:
  struct Loop {
    Loop(std::unique_ptr<Caller> c, int n) : caller(std::move(c)), latency(n) {}

    void reset() { latency.reset(), failures.reset(), sent = 0; }

    // The end of one call is the start of the next: there is one reading of the
    // clock a call, and no time between calls that no latency accounts for. A
    // failed call takes part in the elapsed time, but not in the latencies.
    void run(int64_t deadline, int64_t calls, const std::atomic<bool>& stopped) {
      int64_t t = start = end = now();
      while (sent < calls && t < deadline && !stopped.load(std::memory_order_relaxed)) {
        bool failed = false;
        try {
          caller->call();
        } catch (...) {
          failed = true;
          sent++;
          failures.add();
        }
        const int64_t after = now();
        if (!failed) {
          sent++;
          failures.succeeded();
          latency.record(after - t);
          windows.record(by_call ? sent - 1 : t, after - t);
        }
        t = after;
      }
      caller->finish();
      end = now();
    }

    std::unique_ptr<Caller> caller;
    Recorder latency;
    Windows windows;
    bool by_call = false;  // windows are cut by calls, not by time
    Failures failures;
    int64_t sent = 0, start = 0, end = 0;
  };
  std::vector<std::unique_ptr<Loop>> loops_;
};

// OpenLoop has each schedule make its calls at fixed points in time, its slots,
// whatever the answers take. A slot is never skipped. Each schedule has as many
// threads as it may have calls in flight; a free one takes the next slot and
// waits for it, so that no call is handed to another thread when it is due.
class OpenLoop : public Load {
 public:
  OpenLoop(std::vector<std::unique_ptr<Caller>> callers, int schedules, double rate) : rate_(rate) {
    const size_t each = callers.size() / schedules;
    for (int i = 0; i < schedules; i++) {
      auto s = std::make_unique<Schedule>(schedules, 1e9 / rate);
      for (size_t k = 0; k < each; k++) s->followers.push_back({std::move(callers[i * each + k]), Pacer(schedules, rate)});
      schedules_.push_back(std::move(s));
    }
  }

  void run(const Extent& x, bool) override {
    begin();
    Crew crew([this] { stopped_ = true; });
    const int n = static_cast<int>(schedules_.size());
    start_ = now() + lead_time;
    end_ = 0;
    for (int i = 0; i < n; i++) {
      Schedule& s = *schedules_[i];
      const double phase = static_cast<double>(i) / n;  // spread evenly over the period
      s.reset();
      s.slots = x.calls > 0 ? share(x.calls, i, n) : slots_within(x.seconds * rate_, phase);
      s.begin = static_cast<double>(start_) + phase * s.period;
      const double length = x.calls > 0 ? static_cast<double>(s.slots) * s.period : x.seconds * 1e9;
      s.windows.begin(windows_in(x, n), static_cast<int64_t>(s.begin), length);
      end_ = std::max(end_, start_ + static_cast<int64_t>(static_cast<double>(s.slots) * s.period));
      for (auto& f : s.followers) {
        crew.start([&s, &f, this] { s.follow(f, stopped_); });
      }
    }
    if (x.calls == 0) end_ = start_ + static_cast<int64_t>(x.seconds * 1e9);
    crew.wait(end_ + drain_time);
    end();
  }

  void report(Json& result, Json::Array& flags) override {
    Recorder latency, service, lag;
    Windows windows;
    Failures failures;
    int64_t sent = 0, late = 0, unsent = 0, last = 0;
    for (auto& s : schedules_) {
      latency.add(s->latency), service.add(s->service), lag.add(s->lag);
      windows.add(s->windows);
      s->failures.merge(failures);
      sent += s->sent, late += s->late;
      unsent += s->slots - s->started;
      last = std::max(last, s->last_at);
    }
    failures.unsent(unsent, flags);
    result.set("elapsed", seconds(std::max(end_, last) - start_)).set("sent", sent).set("received", latency.count());
    result.set("late", late).set("offered", rate_ * static_cast<double>(schedules_.size()));
    failures.report(result, flags);
    if (lag.count() > 0) result.set("send_lag", lag.distribution());
    if (latency.count() == 0) return;
    result.set("windows", windows.list()).set("latency", latency.distribution()).set("service", service.distribution());
  }

 private:
  struct Follower {
    std::unique_ptr<Caller> caller;
    Pacer pacer;
  };

  struct Schedule {
    Schedule(int n, double ns) : period(ns), latency(n), service(n), lag(n) {}

    void reset() {
      latency.reset(), service.reset(), lag.reset(), failures.reset();
      next = 0;
      started = sent = late = last_at = 0;
    }

    void follow(Follower& f, const std::atomic<bool>& stopped) {
      f.pacer.start();
      for (;;) {
        const int64_t slot = next.fetch_add(1);
        if (slot >= slots) break;
        const auto due = static_cast<int64_t>(begin + static_cast<double>(slot) * period);
        if (!f.pacer.wait(due, stopped)) break;
        const int64_t at = now();
        std::exception_ptr failed;
        try {
          f.caller->call();
        } catch (...) {
          failed = std::current_exception();
        }
        record(due, at, now(), failed);
      }
      f.caller->finish();
    }

    void record(int64_t due, int64_t at, int64_t end, const std::exception_ptr& failed) {
      std::lock_guard<std::mutex> lock(mutex);
      started++, sent++;
      last_at = std::max(last_at, at);
      lag.record(at - due);
      if (static_cast<double>(at - due) > period) late++;
      if (failed) {
        try {
          std::rethrow_exception(failed);
        } catch (...) {
          failures.add();
        }
        return;
      }
      failures.succeeded();
      latency.record(end - due);
      service.record(end - at);
      windows.record(due, end - due);
    }

    std::vector<Follower> followers;
    double period;        // ns
    double begin = 0;     // of slot 0, ns on the monotonic clock
    int64_t slots = 0;    // in this run
    std::atomic<int64_t> next{0};

    std::mutex mutex;  // of the followers, for what follows
    Recorder latency, service, lag;
    Windows windows;
    Failures failures;
    int64_t started = 0, sent = 0, late = 0, last_at = 0;
  };

  double rate_;  // of each schedule, per second
  int64_t start_ = 0, end_ = 0;
  std::vector<std::unique_ptr<Schedule>> schedules_;
};

// PublishLoop publishes on each topic, at a rate or as fast as it goes.
class PublishLoop : public Load {
 public:
  PublishLoop(Publisher& publisher, const Workload& w) : rate_(w.rate) {
    const std::string content = w.payload.content();
    if (content.size() < sizeof(Stamp)) {
      throw std::runtime_error("a payload of " + std::to_string(content.size()) +
                               " bytes can't carry the 32 bytes of a message's sequence number and times");
    }
    for (int i = 0; i < w.topics; i++) {
      topics_.push_back(std::make_unique<Topic>(publisher, i, content, w));
    }
  }

  void run(const Extent& x, bool measured) override {
    begin();
    Crew crew([this] { stopped_ = true; });
    const int n = static_cast<int>(topics_.size());
    start_ = now() + (rate_ > 0 ? lead_time : 0);
    end_ = start_ + static_cast<int64_t>(x.seconds * 1e9);
    const double period = rate_ > 0 ? 1e9 / rate_ : 0;
    for (int i = 0; i < n; i++) {
      Topic& t = *topics_[i];
      const double phase = static_cast<double>(i) / n;
      t.reset();
      t.slots = x.calls > 0 ? share(x.calls, i, n) : std::numeric_limits<int64_t>::max();
      if (rate_ == 0) {
        const int64_t deadline = x.calls > 0 ? std::numeric_limits<int64_t>::max() : end_;
        crew.start([&t, deadline, measured, this] { t.flood(deadline, measured, stopped_); });
        continue;
      }
      if (x.calls > 0) {
        end_ = std::max(end_, start_ + static_cast<int64_t>(static_cast<double>(t.slots) * period));
      } else {
        t.slots = slots_within(x.seconds * rate_, phase);
      }
      const double begin = static_cast<double>(start_) + phase * period;
      crew.start([&t, begin, period, measured, this] { t.paced(begin, period, measured, stopped_); });
    }
    // Nobody knows how long a number of messages takes without a rate.
    crew.wait(rate_ == 0 && x.calls > 0 ? 0 : end_ + drain_time);
    end();
  }

  void report(Json& result, Json::Array& flags) override {
    Recorder lag;
    Failures failures;
    int64_t sent = 0, late = 0, unsent = 0, last = 0;
    for (auto& t : topics_) {
      sent += t->sent, late += t->late;
      last = std::max(last, t->last_at);
      t->failures.merge(failures);
      lag.add(t->lag);
      if (rate_ > 0) unsent += t->slots - t->taken;
    }
    failures.unsent(unsent, flags);
    result.set("elapsed", seconds((rate_ > 0 ? std::max(end_, last) : last) - start_)).set("sent", sent).set("late", late);
    if (rate_ > 0) result.set("offered", rate_ * static_cast<double>(topics_.size()));
    failures.report(result, flags);
    if (lag.count() > 0) result.set("send_lag", lag.distribution());
  }

 private:
  struct Topic {
    Topic(Publisher& p, int i, const std::string& content, const Workload& w)
        : publisher(p), number(i), loans(w.transfer == "loan"), message(content),
          pacer(w.topics, w.rate > 0 ? w.rate : 1), lag(w.rate > 0 ? w.topics : std::numeric_limits<int>::max()) {}

    void reset() { lag.reset(), failures.reset(), taken = sent = late = last_at = 0; }

    // paced publishes each message when it is due, or late if it must be, but
    // never skips one.
    void paced(double begin, double period, bool measured, const std::atomic<bool>& stopped) {
      pacer.start();
      while (taken < slots) {
        const auto due = static_cast<int64_t>(begin + static_cast<double>(taken) * period);
        if (!pacer.wait(due, stopped)) return;
        taken++;
        const int64_t at = now();
        lag.record(at - due);
        if (static_cast<double>(at - due) > period) late++;
        send(due, at, measured);
      }
    }

    // flood publishes one message after the other until the deadline.
    void flood(int64_t deadline, bool measured, const std::atomic<bool>& stopped) {
      int64_t at = now();
      while (taken < slots && at < deadline && !stopped.load(std::memory_order_relaxed)) {
        taken++;
        send(at, at, measured);
        at = now();
      }
      last_at = at;
    }

    // send stamps and publishes one message. One that could not be published
    // gives its sequence number to the next: it must not count as lost.
    void send(int64_t due, int64_t at, bool measured) {
      Stamp s;
      s.measured = measured;
      s.topic = static_cast<uint16_t>(number);
      s.sequence = static_cast<uint64_t>(sent);
      s.due = due, s.sent = at;
      last_at = at;
      try {
        if (loans) {
          void* chunk = publisher.loan(number, message.size());
          std::memcpy(chunk, &s, sizeof s);
          publisher.publish_loan(number, chunk, message.size());
        } else {
          std::memcpy(message.data(), &s, sizeof s);
          publisher.publish(number, message.data(), message.size());
        }
      } catch (...) {
        failures.add();
        return;
      }
      failures.succeeded();
      sent++;
    }

    Publisher& publisher;
    int number;
    bool loans;
    std::string message;
    Pacer pacer;
    Recorder lag;
    Failures failures;
    int64_t slots = 0;  // due in this run
    int64_t taken = 0;  // of these, tried to send
    int64_t sent = 0, late = 0, last_at = 0;
  };

  double rate_;  // of each topic, per second; 0 is as fast as it goes
  int64_t start_ = 0, end_ = 0;
  std::vector<std::unique_ptr<Topic>> topics_;
};

}  // namespace versus
