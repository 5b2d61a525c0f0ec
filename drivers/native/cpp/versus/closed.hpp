// Calls in a closed loop.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <future>
#include <limits>
#include <memory>
#include <vector>

#include "versus/clock.hpp"
#include "versus/crew.hpp"
#include "versus/failures.hpp"
#include "versus/load.hpp"
#include "versus/recorder.hpp"
#include "versus/roles.hpp"
#include "versus/subscription.hpp"

namespace versus {

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

}  // namespace versus
