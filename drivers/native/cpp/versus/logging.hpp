// The load of a logger: lines in a closed loop, timed in batches, or at a rate.
// It does as the Go kit does (drivers/worker/logging.go).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <future>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "versus/crew.hpp"
#include "versus/load.hpp"
#include "versus/open.hpp"

namespace versus {

// LogLine makes a call of a line, for an open loop.
class LogLine : public Caller {
 public:
  explicit LogLine(Logger& logger) : logger_(logger) {}
  void call() override { logger_.log(); }

 private:
  Logger& logger_;
};

// clock_cost returns what one reading of the clock takes, ns.
inline double clock_cost() {
  constexpr int readings = 1000;
  int64_t best = std::numeric_limits<int64_t>::max();
  for (int i = 0; i < 10; i++) {
    const int64_t start = now();
    for (int k = 0; k < readings; k++) now();
    best = std::min(best, now() - start);
  }
  return static_cast<double>(best) / readings;
}

// too_short remarks calls that were timed in batches too short for the clock, of
// which one reading may be 5 % of a time (Hoefler and Belli 2015, section 4.2.1).
// Each call took so many ns, and reading the clock takes clock ns.
inline std::string too_short(double each, int64_t batch, double clock) {
  constexpr double share = 20;
  const double took = each * static_cast<double>(batch);
  if (took >= share * clock) return "";
  auto text = [](double x) { return std::to_string(static_cast<int64_t>(std::llround(x))); };
  return "clock: " + std::to_string(batch) + " calls timed together took " + text(took) + " ns, and reading the clock takes " +
         text(clock) + " ns of that; time at least " + text(std::ceil(share * clock / std::max(each, 1.0))) + " together";
}

// LogLoop has each caller log one line after the other, and times batches of
// them: each time recorded is the mean of a batch.
class LogLoop : public Load {
 public:
  LogLoop(Logger& logger, int n) {
    for (int i = 0; i < n; i++) loops_.push_back(std::make_unique<Loop>(logger, n));
  }

  void run(const Extent& x, bool) override {
    begin();
    Crew crew([this] { stopped_ = true; });
    const int n = static_cast<int>(loops_.size()), cut = windows_in(x, n * static_cast<int>(loops_[0]->batch));
    const int64_t start = now();
    int64_t deadline = std::numeric_limits<int64_t>::max(), last = 0;
    if (x.calls == 0) {
      deadline = start + static_cast<int64_t>(x.seconds * 1e9);
      last = deadline + drain_time;
    }
    std::promise<void> gate;
    std::shared_future<void> opened = gate.get_future().share();
    for (int i = 0; i < n; i++) {
      Loop& l = *loops_[i];
      int64_t calls = std::numeric_limits<int64_t>::max();
      l.by_call = x.calls > 0;
      if (l.by_call) {
        calls = share(x.calls, i, n);
        l.windows.begin(cut, 0, static_cast<double>(calls));
      } else {
        l.windows.begin(cut, start, x.seconds * 1e9);
      }
      l.latency.reset();
      l.sent = 0;
      crew.start([&l, opened, deadline, calls, this] {
        opened.wait();
        l.run(deadline, calls, stopped_);
      });
    }
    gate.set_value();
    crew.wait(last);
    end();
  }

  void report(Json& result, Json::Array& flags) override {
    Recorder latency;
    Windows windows;
    int64_t sent = 0, start = std::numeric_limits<int64_t>::max(), end = 0;
    for (auto& l : loops_) {
      latency.add(l->latency);
      windows.add(l->windows);
      sent += l->sent;
      start = std::min(start, l->start), end = std::max(end, l->end);
    }
    const int64_t batch = loops_[0]->batch;
    if (latency.count() == 0) {
      throw std::runtime_error("no caller made " + std::to_string(batch) +
                               " calls, which are timed together: measure longer, or time fewer together");
    }
    result.set("elapsed", seconds(end - start)).set("sent", sent).set("received", sent);
    result.set("windows", windows.list()).set("latency", latency.distribution());
    const std::string text = too_short(latency.mean(), batch, clock_cost());
    if (!text.empty()) flags.push_back(text);
  }

 private:
  struct Loop {
    Loop(Logger& l, int n) : logger(l), batch(l.batch()), latency(n) {}

    // The end of one batch is the start of the next. What a batch takes is not
    // always a multiple of its calls: the rest goes to the next one. A last batch
    // that isn't full is in no latency, it would weigh too much.
    void run(int64_t deadline, int64_t calls, const std::atomic<bool>& stopped) {
      int64_t t = start = end = now(), rest = 0;
      while (sent < calls && t < deadline && !stopped.load(std::memory_order_relaxed)) {
        const int64_t n = std::min(batch, calls - sent);
        for (int64_t i = 0; i < n; i++) logger.log();
        const int64_t after = now();
        if (n == batch) {
          rest += after - t;
          const int64_t each = rest / n;
          rest -= each * n;
          latency.record(each);
          windows.record(by_call ? sent : t, each);
        }
        sent += n;
        t = after;
      }
      end = t;
    }

    Logger& logger;
    const int64_t batch;
    Recorder latency;
    Windows windows;
    bool by_call = false;  // windows are cut by calls, not by time
    int64_t sent = 0, start = 0, end = 0;
  };
  std::vector<std::unique_ptr<Loop>> loops_;
};

// LogLoad is a load of a logger: it has the lines flushed and counted. The
// window lasts until all have arrived: a logger that only gathers lines isn't fast.
class LogLoad : public Load {
 public:
  LogLoad(Logger& logger, const Workload& w) : logger_(logger) {
    if (logger.batch() < 1) throw std::runtime_error("the driver times less than one call together");
    if (w.rate == 0) {
      load_ = std::make_unique<LogLoop>(logger, w.concurrency);
      return;
    }
    std::vector<std::unique_ptr<Caller>> callers;
    for (int i = 0; i < w.concurrency; i++) callers.push_back(std::make_unique<LogLine>(logger));
    load_ = std::make_unique<OpenLoop>(std::move(callers), w.concurrency, w.rate);
  }

  void run(const Extent& x, bool measured) override {
    load_->run(x, measured);
    const int64_t start = now();
    logger_.flush();
    flush_ = now() - start;
    if (!measured) logger_.lines();  // so that the window counts its own
  }

  void report(Json& result, Json::Array& flags) override {
    Json found;
    load_->report(found, flags);
    Json errors = found["errors"];
    const int64_t sent = found["sent"].integer(), lines = logger_.lines();
    if (lines > sent) throw std::runtime_error(std::to_string(lines) + " lines arrived, but only " + std::to_string(sent) + " were logged");
    if (lines != Logger::unknown && lines < sent) {
      errors.set("lost", sent - lines);
      flags.push_back("error lost: " + std::to_string(sent - lines) + " of " + std::to_string(sent) + " lines never arrived");
    }
    for (const auto& [name, value] : found.members()) {
      if (name != "elapsed" && name != "errors") result.set(name, value);
    }
    result.set("elapsed", found["elapsed"].number() + seconds(flush_));
    if (errors.is_object()) result.set("errors", errors);
  }

  void halt() override { load_->halt(); }

 private:
  Logger& logger_;
  std::unique_ptr<Load> load_;
  int64_t flush_ = 0;  // what the flush of the last run took, ns
};

}  // namespace versus
