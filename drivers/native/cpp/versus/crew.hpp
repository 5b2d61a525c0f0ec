// Threads that may throw, or never return.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include "versus/clock.hpp"

namespace versus {

// How long calls that were sent may stay unanswered after they were to end, ns.
constexpr int64_t patience = 10'000'000'000;

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

}  // namespace versus
