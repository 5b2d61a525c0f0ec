// The broker: RouDi, the daemon of iceoryx, started for one run with the memory
// that the run needs, as a child of this process.
#pragma once

#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <mutex>
#include <string>

#include "iceoryx_hoofs/platform/platform_settings.hpp"
#include "versus.hpp"
#include "versus/private.hpp"

// sockets is the folder in which RouDi and its clients meet, beside /dev/shm. The
// names in it are fixed in iceoryx, so that a run needs both for itself.
inline std::string sockets() { return iox::platform::IOX_UDS_SOCKET_PATH_PREFIX; }

// find_program returns where a program lies in PATH, or throws.
inline std::string find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = folder + "/" + name;
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  throw std::runtime_error("the program " + name + " is not in PATH: install the Debian package iceoryx (apt-get install iceoryx)");
}

class RouDi : public versus::Server {
 public:
  // The size of a chunk of shared memory in bytes, how many, and whether the
  // domain is to be private.
  RouDi(std::string chunk, std::string chunks, bool isolated) : chunk_(std::move(chunk)), chunks_(std::move(chunks)), isolated_(isolated) {}

  void enter(const versus::Setup&) override {
    if (!isolated_) return;
    try {
      versus::make_private({sockets(), "/dev/shm"});
      private_ = true;
    } catch (const std::exception& e) {
      why_shared_ = e.what();
    }
  }

  versus::Ready open(const versus::Setup&, const std::atomic<bool>& stopped) override {
    const std::string program = find_program("iox-roudi");
    if (!private_) sweep();
    start(program, config());
    await(stopped);
    versus::Ready ready;
    ready.addresses = {{"pid", std::to_string(getpid())}};
    ready.effective = {{"domain", private_ ? "private mount namespace" : "the machine's"},
                       {"memory", chunks_ + " chunks of " + chunk_ + " bytes"}};
    ready.pid = child_;
    if (!why_shared_.empty()) {
      ready.flags = {"fallback: iceoryx uses the machine's shared memory, not a private one: " + why_shared_};
    }
    return ready;
  }

  // run keeps the log from filling up, and notices when RouDi ends.
  void run(const std::atomic<bool>& stopped) override {
    while (!stopped) {
      if (!read_log(100) && !stopped) throw std::runtime_error("iox-roudi " + ended());
    }
  }

  void alive() override {
    if (child_ == 0) return;
    std::unique_lock<std::mutex> lock(mutex_);
    const bool gone = has_ended(WNOHANG);
    lock.unlock();
    if (gone) throw std::runtime_error("iox-roudi " + ended());
  }

  ~RouDi() override {
    if (child_ > 0) {
      // Asked to end, RouDi removes what it has made; in a private domain the
      // kernel does that, and at once.
      kill(child_, private_ ? SIGKILL : SIGTERM);
      for (int i = 0; i < 200 && waitpid(child_, nullptr, WNOHANG) == 0; i++) usleep(10'000);
      kill(child_, SIGKILL);
      while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
      }
    }
    if (log_ >= 0) ::close(log_);
  }

 private:
  std::string config() const {
    return "[general]\nversion = 1\n[[segment]]\n[[segment.mempool]]\nsize = " + chunk_ + "\ncount = " + chunks_ + "\n";
  }

  // sweep removes what workers that were killed have left in the machine's folder.
  static void sweep() {
    glob_t found{};
    glob((sockets() + "versus-publisher-*").c_str(), 0, nullptr, &found);
    glob((sockets() + "versus-subscriber-*").c_str(), GLOB_APPEND, nullptr, &found);
    for (size_t i = 0; i < found.gl_pathc; i++) {
      const std::string name = found.gl_pathv[i];
      const int pid = std::atoi(name.c_str() + name.rfind('-') + 1);
      if (pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH) unlink(name.c_str());
    }
    globfree(&found);
  }

  // start starts RouDi. It is called by the thread that lives as long as this
  // process: the kernel ends RouDi with it.
  void start(const std::string& program, const std::string& text) {
    int log[2], file[2];
    if (pipe2(log, O_CLOEXEC) != 0 || pipe2(file, O_CLOEXEC) != 0) throw versus::failed("pipe");
    if (::write(file[1], text.data(), text.size()) < 0) throw versus::failed("configuration of iox-roudi");
    ::close(file[1]);
    const pid_t parent = getpid();
    // Without monitoring: it removes a client that got no CPU for 1.5 s.
    const char* argv[] = {program.c_str(), "-c", "/dev/stdin", "-m", "off", nullptr};
    child_ = fork();
    if (child_ < 0) throw versus::failed("fork");
    if (child_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(1);
      dup2(file[0], STDIN_FILENO);
      dup2(log[1], STDOUT_FILENO);
      dup2(log[1], STDERR_FILENO);
      execv(argv[0], const_cast<char**>(argv));
      _exit(127);
    }
    ::close(file[0]);
    ::close(log[1]);
    log_ = log[0];
  }

  void await(const std::atomic<bool>& stopped) {
    while (text_.find("RouDi is ready for clients") == std::string::npos) {
      if (stopped) throw std::runtime_error("stopped before iox-roudi was ready");
      if (read_log(50)) continue;
      const std::string why = ended();
      if (text_.find("is RouDi still running?") != std::string::npos) {
        throw std::runtime_error("another iox-roudi is running on this machine, and there is one only where the folders can't be private" +
                                 (why_shared_.empty() ? "" : " (" + why_shared_ + ")") + ": end it first");
      }
      throw std::runtime_error("iox-roudi " + why);
    }
  }

  // read_log reads what RouDi writes, and returns false at its end.
  bool read_log(int milliseconds) {
    pollfd p{log_, POLLIN, 0};
    if (poll(&p, 1, milliseconds) <= 0) return true;
    char part[4096];
    const ssize_t n = ::read(log_, part, sizeof part);
    if (n < 0) return errno == EINTR;
    if (n == 0) return false;
    std::lock_guard<std::mutex> lock(mutex_);
    text_.append(part, static_cast<size_t>(n));
    if (text_.size() > most_text) text_.erase(0, text_.size() - most_text);
    return true;
  }

  // has_ended reports whether RouDi has ended, and leaves it unreaped: its CPU
  // time can be read on.
  bool has_ended(int flags) {
    end_ = {};
    while (waitid(P_PID, static_cast<id_t>(child_), &end_, WEXITED | WNOWAIT | flags) != 0 && errno == EINTR) {
    }
    return end_.si_pid == child_;
  }

  // ended says how RouDi has ended, and what it wrote at the end.
  std::string ended() {
    std::lock_guard<std::mutex> lock(mutex_);
    has_ended(0);
    if (end_.si_code == CLD_EXITED) return "ended with status " + std::to_string(end_.si_status) + "; it wrote: " + text_;
    return "was ended by signal " + std::to_string(end_.si_status) + " (" + strsignal(end_.si_status) + ")";
  }

  const std::string chunk_, chunks_;
  const bool isolated_;
  bool private_ = false;
  std::string why_shared_;  // why the domain is not private, if it should be
  pid_t child_ = 0;
  int log_ = -1;

  static constexpr size_t most_text = 1000;
  std::mutex mutex_;  // of what follows, once run is running
  siginfo_t end_{};   // how RouDi has ended
  std::string text_;  // end of its log
};
