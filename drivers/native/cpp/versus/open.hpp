// Calls in an open loop.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "versus/clock.hpp"
#include "versus/crew.hpp"
#include "versus/failures.hpp"
#include "versus/load.hpp"
#include "versus/recorder.hpp"
#include "versus/roles.hpp"
#include "versus/subscription.hpp"

namespace versus {

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

}  // namespace versus
