// A client of a service that many callers share, as one client in a ROS 2 node:
// it has one writer of requests and one reader of replies. Of the callers that
// wait, one reads for all; with a single caller nothing is handed from thread to
// thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "versus/clock.hpp"
#include "versus/dds/meeting.hpp"
#include "versus/roles.hpp"

namespace versus::dds {

class ServiceClient : public Client {
 public:
  std::unique_ptr<Caller> caller(int) override {
    std::lock_guard<std::mutex> lock(mutex_);
    slots_.emplace_back();
    return std::make_unique<SlotCaller>(*this, slots_.back());
  }

 protected:
  // request sends one request and returns its number. One thread at a time.
  virtual int64_t request(const std::string& payload) = 0;

  // replies waits for replies, 50 ms at most, and calls answer for each. One
  // thread at a time, but at the same time as request.
  virtual void replies() = 0;

  void answer(int64_t number, size_t size) {
    std::lock_guard<std::mutex> lock(mutex_);
    for (Slot& s : slots_) {
      if (!s.waiting || s.number != number) continue;
      s.waiting = false;
      s.size = size;
      if (&s != leader_) s.wake.notify_one();
      return;
    }
  }

  std::string payload_;
  Guest guest_;

 private:
  struct Slot {
    bool waiting = false;
    int64_t number = 0;
    size_t size = 0;
    std::condition_variable wake;
  };

  struct SlotCaller : Caller {
    SlotCaller(ServiceClient& c, Slot& s) : client(c), slot(s) {}
    void call() override { client.call(slot); }
    ServiceClient& client;
    Slot& slot;
  };

  static constexpr int64_t patience = 5'000'000'000;

  void call(Slot& slot) {
    std::unique_lock<std::mutex> lock(mutex_);
    guest_.check();
    slot.number = request(payload_);  // locked: the reply must find the number
    slot.waiting = true;
    const int64_t end = now() + patience;
    try {
      while (slot.waiting) {
        if (leader_) {
          slot.wake.wait_for(lock, std::chrono::milliseconds(50));
        } else {
          lead(slot, lock);
        }
        if (!slot.waiting) break;
        guest_.check();
        if (now() > end) throw Failure(deadline_failure, "no answer within 5s");
      }
    } catch (...) {
      slot.waiting = false;
      hand_over();
      throw;
    }
    hand_over();
    if (slot.size != payload_.size()) {
      throw Failure(answer_failure, "an answer of " + std::to_string(slot.size) + " bytes instead of " + std::to_string(payload_.size()));
    }
  }

  void lead(Slot& slot, std::unique_lock<std::mutex>& lock) {
    leader_ = &slot;
    lock.unlock();
    try {
      replies();
    } catch (...) {
      lock.lock();
      leader_ = nullptr;
      throw;
    }
    lock.lock();
    leader_ = nullptr;
  }

  // hand_over has another caller that waits read, if nobody does.
  void hand_over() {
    if (leader_) return;
    for (Slot& s : slots_) {
      if (!s.waiting) continue;
      s.wake.notify_one();
      return;
    }
  }

  std::mutex mutex_;
  std::deque<Slot> slots_;
  Slot* leader_ = nullptr;  // the one that reads
};

}  // namespace versus::dds
