// Time: the clock that all processes of a host share, and waiting for points in
// time, precisely.
#pragma once

#include <sys/prctl.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace versus {

// now returns CLOCK_MONOTONIC in nanoseconds. It takes about 25 ns.
inline int64_t now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * int64_t{1'000'000'000} + t.tv_nsec;
}

// clock_shift is what the clock that the hosts of a run agree on shows more than
// that of this one, ns; set before there is any load.
inline int64_t clock_shift = 0;

// shared returns what the clock that all hosts of a run agree on shows when this
// host's shows t.
inline int64_t shared(int64_t t) { return t + clock_shift; }

inline double seconds(int64_t ns) { return static_cast<double>(ns) * 1e-9; }

// Pacer waits for points in time: it sleeps until shortly before, and spins for
// the rest. How early it must wake follows what the last sleeps took beyond
// their time: waking an idle CPU takes 5 us on one machine and 70 us on another.
// The numbers are those of the Go kit (drivers/worker/pacer.go).
class Pacer {
 public:
  // A pacer of one of n schedules with that many points in time per second
  // each. Together they spin for a third of the time at most.
  Pacer(int n, double rate)
      : most_(static_cast<int64_t>(std::min(200'000.0, 1e9 / rate / n / 3))), margin_(std::min(int64_t{80'000}, most_)) {}

  // start must be called by the thread that will wait.
  void start() { prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0); }

  // wait returns true at the point in time due, at once if it is past, and
  // false soon after stopped is set.
  bool wait(int64_t due, const std::atomic<bool>& stopped) {
    int64_t t = now();
    if (due - t > margin_) {
      const int64_t aim = due - margin_;
      while (t < aim) {
        if (stopped.load(std::memory_order_relaxed)) return false;
        // In slices, to see when it is stopped.
        const int64_t until = std::min(aim, t + slice);
        timespec ts{until / 1'000'000'000, until % 1'000'000'000};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, nullptr);
        t = now();
      }
      adapt(t - aim);
    }
    while (t < due) t = now();
    return !stopped.load(std::memory_order_relaxed);
  }

  // adapt moves the margin towards the 95th percentile of what sleeps take
  // beyond their time: one step up weighs as much as 19 steps down.
  void adapt(int64_t overshoot) {
    margin_ += overshoot > margin_ ? step : -(step / 19);
    margin_ = std::min(std::max(margin_, int64_t{5'000}), most_);
  }
  int64_t margin() const { return margin_; }

 private:
  static constexpr int64_t slice = 100'000'000;
  static constexpr int64_t step = 2'000;
  int64_t most_, margin_;  // ns
};

}  // namespace versus
