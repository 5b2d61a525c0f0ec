// Publishing, at a rate or as fast as it goes.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "versus/clock.hpp"
#include "versus/crew.hpp"
#include "versus/failures.hpp"
#include "versus/load.hpp"
#include "versus/recorder.hpp"
#include "versus/roles.hpp"
#include "versus/subscription.hpp"

namespace versus {

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
      s.due = shared(due), s.sent = shared(at);
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
