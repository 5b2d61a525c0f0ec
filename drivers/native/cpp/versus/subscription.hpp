// The stamp of published messages, and what a subscriber counts of them.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "versus/clock.hpp"
#include "versus/recorder.hpp"
#include "versus/workload.hpp"

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "stamps are copied as they lie in memory");

namespace versus {

// Stamp is the beginning of each published message, as it lies in it.
struct Stamp {
  static constexpr uint32_t ours = 0x31737276;  // "vrs1"

  uint32_t magic = ours;
  uint8_t measured = 0;  // 1: sent in the window, 0: in the warm-up
  uint8_t unused = 0;
  uint16_t topic = 0;     // from 0
  uint64_t sequence = 0;  // in the topic, from 0 in each phase
  int64_t due = 0;        // on the shared clock, ns
  int64_t sent = 0;       // on the shared clock, ns; equal to due without a schedule
};
static_assert(sizeof(Stamp) == 32);

// read_stamp returns whether the message has a stamp.
inline bool read_stamp(const void* message, size_t size, Stamp& s) {
  if (size < sizeof s) return false;
  std::memcpy(&s, message, sizeof s);
  return s.magic == Stamp::ours && s.measured <= 1;
}

// windows_in returns how many windows an extent is cut into that is shared out
// to n callers: no caller may have fewer calls than windows.
inline int windows_in(const Extent& x, int n) {
  if (x.calls == 0) return max_windows;
  return static_cast<int>(std::clamp<int64_t>(x.calls / n, 1, max_windows));
}

// share returns part i of n when total is shared out evenly.
inline int64_t share(int64_t total, int i, int n) { return total / n + (i < total % n ? 1 : 0); }

// Sequences remembers which of the numbers from 0 have been seen.
class Sequences {
 public:
  struct Seen {
    bool fresh = false, in_order = false;
    bool plausible = false;  // not too far ahead to be true
  };

  Seen add(uint64_t n) {
    if (n >= highest_ + max_gap) return {};
    if (n / chunk_bits >= chunks_.size()) chunks_.resize(n / chunk_bits + 1);
    auto& chunk = chunks_[n / chunk_bits];
    if (!chunk) chunk = std::make_unique<Chunk>();
    uint64_t& word = (*chunk)[n % chunk_bits / 64];
    const uint64_t bit = uint64_t{1} << (n % 64);
    const Seen seen{(word & bit) == 0, n >= highest_, true};
    word |= bit;
    highest_ = std::max(highest_, n + 1);
    return seen;
  }
  uint64_t highest() const { return highest_; }  // seen, plus 1

 private:
  static constexpr uint64_t chunk_bits = 1 << 16;
  static constexpr uint64_t max_gap = 1 << 26;  // bounds what a damaged number can claim
  using Chunk = std::array<uint64_t, chunk_bits / 64>;
  uint64_t highest_ = 0;
  std::vector<std::unique_ptr<Chunk>> chunks_;
};

// Subscription counts what arrives and records one-way times. Only messages of
// the window count.
class Subscription {
 public:
  explicit Subscription(const Workload& w) : paced_(w.rate > 0), size_(w.payload.content().size()) {
    for (int i = 0; i < w.topics; i++) {
      auto& t = topics_.emplace_back(w.topics);
      t.by_number = w.measure.calls > 0;
      t.length = w.measure.seconds * 1e9;
      if (t.by_number) {
        t.windows.begin(windows_in(w.measure, w.topics), 0, static_cast<double>(share(w.measure.calls, i, w.topics)));
      }
    }
  }

  // receive takes one message, from one thread at a time for each topic.
  void receive(int topic, const void* message, size_t size) {
    const int64_t at = shared(now());
    Stamp s;
    if (!read_stamp(message, size, s) || topic < 0 || topic >= static_cast<int>(topics_.size()) || s.topic != topic) {
      foreign_++;
      return;
    }
    if (s.measured == 0) return;
    {
      std::lock_guard<std::mutex> lock(topics_[topic].mutex);
      topics_[topic].take(s, at, size == size_);
    }
    if (waiting_.load()) {
      std::lock_guard<std::mutex> lock(mutex_);
      arrived_.notify_all();
    }
  }

  // await waits until sent messages have arrived, the time is over or stopped is set.
  void await(int64_t sent, double limit, const std::atomic<bool>& stopped) {
    const int64_t end = now() + static_cast<int64_t>(std::clamp(limit, 0.0, 3600.0) * 1e9);
    std::unique_lock<std::mutex> lock(mutex_);
    waiting_ = true;
    while (count() < sent && now() < end && !stopped) {
      arrived_.wait_for(lock, std::chrono::nanoseconds(std::clamp<int64_t>(end - now(), 0, 50'000'000)));
    }
  }

  // report writes what arrived of the sent messages.
  void report(Json& result, Json::Array& flags, int64_t sent) {
    Recorder latency, service;
    Windows windows;
    int64_t received = 0, duplicated = 0, reordered = 0, negative = 0, gaps = 0, wrong_size = 0, implausible = 0;
    for (Topic& t : topics_) {
      std::lock_guard<std::mutex> lock(t.mutex);
      latency.add(t.latency);
      service.add(t.service);
      windows.add(t.windows);
      received += t.count;
      duplicated += t.duplicated;
      reordered += t.reordered;
      negative += t.negative;
      gaps += static_cast<int64_t>(t.seen.highest()) - t.count;
      wrong_size += t.wrong_size;
      implausible += t.implausible;
    }
    // Gaps in the sequence miss the losses at its end; the number sent tells all.
    result.set("received", received).set("lost", std::max(gaps, sent - received));
    result.set("duplicated", duplicated).set("reordered", reordered).set("negative", negative);
    auto remark = [&](int64_t n, const char* text) {
      if (n > 0) flags.push_back(std::to_string(n) + text);
    };
    remark(wrong_size, " messages had not the payload's size");
    remark(implausible, " messages had an implausible sequence number and were left out");
    remark(foreign_, " messages were not ours or came on another topic, and were left out");
    remark(received - sent, " more messages arrived than were reported as sent");
    if (latency.count() == 0) return;
    result.set("windows", windows.list()).set("latency", latency.distribution());
    if (paced_) result.set("service", service.distribution());
  }

 private:
  struct Topic {
    explicit Topic(int n) : latency(n), service(n) {}

    void take(const Stamp& s, int64_t at, bool sized) {
      const auto n = seen.add(s.sequence);
      if (!n.plausible) {
        implausible++;
        return;
      }
      if (!n.fresh) {
        duplicated++;
        return;
      }
      if (!n.in_order) reordered++;
      if (++count == 1 && !by_number) windows.begin(max_windows, s.due, length);  // nothing else says when it began
      if (!sized) wrong_size++;
      if (at < s.sent || at < s.due) {
        negative++;
        return;
      }
      latency.record(at - s.due);
      service.record(at - s.sent);
      windows.record(by_number ? static_cast<int64_t>(s.sequence) : s.due, at - s.due);
    }

    std::mutex mutex;  // contended only when the results are read
    Recorder latency, service;
    Windows windows;
    bool by_number = false;  // windows are cut by messages, not by time
    double length = 0;       // of the extent, ns
    Sequences seen;
    int64_t count = 0, duplicated = 0, reordered = 0, negative = 0, wrong_size = 0, implausible = 0;
  };

  int64_t count() {
    int64_t n = 0;
    for (Topic& t : topics_) {
      std::lock_guard<std::mutex> lock(t.mutex);
      n += t.count;
    }
    return n;
  }

  bool paced_;   // messages had a time when they were due
  size_t size_;  // of each message
  std::deque<Topic> topics_;
  std::atomic<int64_t> foreign_{0};
  std::atomic<bool> waiting_{false};
  std::mutex mutex_;
  std::condition_variable arrived_;
};

}  // namespace versus
