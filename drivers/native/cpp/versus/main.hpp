// The conversation of a worker with the interpreter, docs/worker-protocol.md.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "versus/roles.hpp"
#include "versus/session.hpp"

namespace versus {

constexpr int protocol_version = 1;
constexpr size_t max_line = 8 << 20;  // bytes, without the newline

// Wire is the worker's end of the conversation.
class Wire {
 public:
  Wire(int in, int out) : in_(in), out_(out) {}

  // read returns the next message, none at the end of the input. It throws for
  // whatever is not a message.
  std::optional<Json> read() {
    size_t seen = 0;
    for (;;) {
      const size_t end = buffer_.find('\n', seen);
      if (end != std::string::npos && end <= max_line) {
        const std::string line = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        return parse(line);
      }
      if (buffer_.size() > max_line) throw std::runtime_error("a line longer than 8388608 bytes");
      seen = buffer_.size();
      char part[1 << 16];
      const ssize_t n = ::read(in_, part, sizeof part);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) throw failed("standard input");
      if (n == 0 && buffer_.empty()) return std::nullopt;
      if (n == 0) throw std::runtime_error("the input ended in the middle of a line");
      buffer_.append(part, static_cast<size_t>(n));
    }
  }

  // parse reads one line. Fields that it doesn't know are ignored.
  static Json parse(const std::string& line) {
    Json m;
    try {
      m = Json::parse(line);
    } catch (const std::exception& e) {
      throw std::runtime_error(std::string("not a message of the worker protocol: ") + e.what());
    }
    const std::string type = m["type"].text();
    if (type == "prepare" && !m["workload"].is_object()) throw std::runtime_error("a prepare message without \"workload\"");
    for (const char* known : {"prepare", "warm_up", "measure", "finish", "stop"}) {
      if (type == known) return m;
    }
    throw std::runtime_error("not a message of the worker protocol: unknown type \"" + type.substr(0, 100) + "\"");
  }

  // send writes one message. It throws when nobody listens.
  void send(const Json& m) {
    std::string line = m.dump();
    if (line.size() > max_line) throw std::runtime_error("a message of more than 8388608 bytes");
    line += '\n';
    std::lock_guard<std::mutex> lock(mutex_);
    for (size_t done = 0; done < line.size();) {
      const ssize_t n = ::write(out_, line.data() + done, line.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) throw failed("standard output");
      done += static_cast<size_t>(n);
    }
  }
  void send_error(const std::string& text) {
    send(Json().set("type", "error").set("error", text.empty() ? "unknown error" : text.substr(0, 4096)));
  }

 private:
  int in_, out_;
  std::string buffer_;
  std::mutex mutex_;
};

// Conversation reads messages on the main thread and has another one handle
// them one at a time: stop and the end of the input count at any moment.
class Conversation {
 public:
  Conversation(Wire& wire, Session& session) : wire_(wire), session_(session) {}

  // run returns the exit status, when the worker must end. What libraries do
  // at exit then has a few seconds: some wait for a broker that is gone.
  int run() {
    const int status = converse();
    std::thread([status] {
      std::this_thread::sleep_for(std::chrono::seconds(3));
      _exit(status);
    }).detach();
    return status;
  }

 private:
  int converse() {
    int status = 1;
    try {
      std::optional<Json> first = wire_.read();
      if (first && (*first)["type"].text() != "stop") prepare(*first);
      status = listen(std::move(first));
    } catch (const std::exception& e) {
      std::cerr << e.what() << std::endl;
      try {
        wire_.send_error(e.what());
      } catch (const std::exception&) {
      }
    }
    end();
    return status;
  }

  void prepare(const Json& first) {
    try {
      session_.enter(first);
    } catch (const std::exception& e) {
      failed_ = e.what();
    }
    std::thread([this] { work(); }).detach();
    working_ = true;
  }

  int listen(std::optional<Json> m) {
    for (;; m = wire_.read()) {
      if (!m) throw std::runtime_error("the input ended before a stop message");
      const std::string type = (*m)["type"].text();
      if (type == "stop") return 0;
      std::lock_guard<std::mutex> lock(mutex_);
      if (asked_) {
        throw std::runtime_error("message \"" + type + "\" while \"" + (*asked_)["type"].text() + "\" is still being done");
      }
      asked_ = std::move(m);
      changed_.notify_all();
    }
  }

  // work handles messages until it must end, and then closes the session. It is
  // one thread for the whole run: what it starts may be bound to its life.
  void work() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!ending_) {
      if (!asked_) {
        changed_.wait(lock);
        continue;
      }
      const Json m = *asked_;
      lock.unlock();
      Json answer = handle(m);
      lock.lock();
      asked_.reset();
      if (ending_) break;
      try {
        wire_.send(answer);
      } catch (const std::exception& e) {
        std::cerr << e.what() << std::endl;
        _exit(1);  // nobody listens
      }
    }
    lock.unlock();
    try {
      session_.close();
    } catch (const std::exception& e) {
      std::cerr << e.what() << std::endl;  // nobody is left to hear of it
    }
    lock.lock();
    closed_ = true;
    changed_.notify_all();
    changed_.wait(lock, [] { return false; });
  }

  Json handle(const Json& m) {
    std::string error = failed_;
    if (error.empty()) {
      try {
        return session_.handle(m);
      } catch (const std::exception& e) {
        error = e.what();
      } catch (...) {
        error = "unknown exception";
      }
    }
    return Json().set("type", "error").set("error", error.empty() ? "unknown error" : error.substr(0, 4096));
  }

  // end closes the session, but doesn't wait long for a role that is stuck.
  void end() {
    if (!working_) return;
    std::unique_lock<std::mutex> lock(mutex_);
    ending_ = true;
    session_.stop();
    changed_.notify_all();
    if (!changed_.wait_for(lock, std::chrono::seconds(3), [this] { return closed_; })) {
      std::cerr << "the role doesn't end" << std::endl;
      _exit(0);
    }
  }

  Wire& wire_;
  Session& session_;
  bool working_ = false;
  std::string failed_;  // why the role can't be entered
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Json> asked_;  // the message being handled
  bool ending_ = false, closed_ = false;
};

// run has the conversation of one worker that plays the role argv[1] of a driver,
// and returns the exit status of the process: 0 when it was told to stop, else 1.
// Whatever else the process prints goes to standard error.
inline int run(const std::string& driver, const Roles& roles, int argc, char** argv) {
  const int own = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (own < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    std::cerr << "standard output: " << std::strerror(errno) << std::endl;
    return 1;
  }
  signal(SIGPIPE, SIG_IGN);
  // Of those it holds longer than the process lives: a thread that got stuck may use them.
  auto& wire = *new Wire(STDIN_FILENO, own);
  const std::string name = argc > 1 ? argv[1] : "";
  try {
    const auto role = roles.find(name);
    if (role == roles.end()) {
      wire.send_error("driver \"" + driver + "\" has no role \"" + name + "\"");
      return 1;
    }
    auto& session = *new Session(role->second());
    auto& conversation = *new Conversation(wire, session);
    wire.send(Json().set("type", "hello").set("protocol", protocol_version).set("worker", driver + " " + name).set("pid", getpid()));
    return conversation.run();
  } catch (const std::exception& e) {
    std::cerr << e.what() << std::endl;
    return 1;
  }
}

}  // namespace versus
