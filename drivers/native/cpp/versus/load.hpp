// What an active role does: a load runs once to warm up and once for the window. The
// rules are those of docs/worker-protocol.md, "How to measure".
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "versus/json.hpp"
#include "versus/workload.hpp"

namespace versus {

// How long calls that were due in the window may still be sent after its end, ns.
constexpr int64_t drain_time = 2'000'000'000;

// From the start of an open loop until its first slot, ns: threads need some to get ready.
constexpr int64_t lead_time = 2'000'000;

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

}  // namespace versus
