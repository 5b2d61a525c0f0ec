// The worker for spdlog. drivers/log describes the options.
#include <fcntl.h>
#include <linux/magic.h>
#include <spawn.h>
#include <spdlog/async.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "versus.hpp"

using namespace versus;

namespace {

constexpr rlim_t max_file = rlim_t{4} << 30;  // bytes

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what + ": " + std::strerror(errno)); }

// Fd owns a descriptor.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& o) noexcept : fd_(std::exchange(o.fd_, -1)) {}
  Fd& operator=(Fd&& o) noexcept {
    std::swap(fd_, o.fd_);
    return *this;
  }
  ~Fd() { reset(); }
  void reset() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  int get() const { return fd_; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_ = -1;
};

std::pair<Fd, Fd> make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail("the log's pipe");
  return {Fd(ends[0]), Fd(ends[1])};
}

// Counter is the program that empties the log's pipe and counts what comes.
class Counter {
 public:
  // start returns the end to write to.
  Fd start() {
    auto [in, out] = make_pipe();
    auto [answer, said] = make_pipe();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in.get(), 0);
    posix_spawn_file_actions_adddup2(&actions, said.get(), 1);
    char name[] = "wc", option[] = "-lc";
    char* arguments[] = {name, option, nullptr};
    const int error = posix_spawnp(&pid_, "wc", &actions, nullptr, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw std::runtime_error(std::string("the program wc, which empties the log's pipe: ") + std::strerror(error));
    answer_ = std::move(answer);
    return std::move(out);
  }

  // stop returns the lines and bytes that came, after the end to write to was closed.
  std::pair<int64_t, int64_t> stop() {
    std::string text;
    char part[100];
    for (ssize_t n; (n = ::read(answer_.get(), part, sizeof part)) > 0;) text.append(part, static_cast<size_t>(n));
    waitpid(std::exchange(pid_, 0), nullptr, 0);
    long long lines = 0, bytes = 0;
    if (sscanf(text.c_str(), "%lld %lld", &lines, &bytes) != 2) throw std::runtime_error("wc says \"" + text + "\"");
    return {lines, bytes};
  }

 private:
  pid_t pid_ = 0;
  Fd answer_;
};

std::pair<int64_t, int64_t> count_lines(int fd) {
  std::vector<char> b(1 << 20);
  int64_t lines = 0, bytes = 0;
  for (ssize_t n; (n = pread(fd, b.data(), b.size(), bytes)) != 0; bytes += n) {
    if (n < 0) fail("the log's file");
    lines += std::count(b.begin(), b.begin() + n, '\n');
  }
  return {lines, bytes};
}

class Spdlog : public Logger {
 public:
  Ready open(const Setup& s, const std::atomic<bool>&) override {
    const Json& o = s.workload.options;
    kind_ = o["sink"].text("file");
    async_ = o["mode"].text("sync") == "async";
    queue_ = static_cast<size_t>(o["queue"].integer(8192));
    batch_ = s.workload.rate > 0 ? 1 : static_cast<int>(o["batch"].integer(16));
    every_ = o["flush"].integer(o["flush"].text("each") == "end" ? 0 : 1);
    line_ = s.workload.payload.content();
    if (s.workload.payload.kind == "bytes") {
      for (char& c : line_) c = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"[static_cast<unsigned char>(c) % 64];
    } else if (!line_.empty() && line_.back() == '\n') {
      line_.pop_back();
    }
    limit_file();
    start();
    return {{}, effective()};
  }

  void log() override {
    logger_->info(line_);
    if (every_ > 1 && (logged_.fetch_add(1, std::memory_order_relaxed) + 1) % every_ == 0) logger_->flush();
  }

  void flush() override {
    if (async_) {  // only the end of the queue empties it
      logger_.reset();
      pool_.reset();
      make_logger();
    }
    sink_->flush();
    logged_ = 0;
  }

  int64_t lines() override {
    if (kind_ == "null") return unknown;
    int64_t lines = 0, bytes = 0;
    if (kind_ == "pipe") {
      logger_.reset(), pool_.reset(), sink_.reset();
      std::tie(lines, bytes) = counter_.stop();
      start();
    } else {
      std::tie(lines, bytes) = count_lines(file_.get());
      if (ftruncate(file_.get(), 0) != 0) fail("the log's file");
    }
    // A line that isn't whole didn't arrive.
    return line_.empty() ? lines : std::min(lines, bytes / static_cast<int64_t>(line_.size()));
  }

  int batch() const override { return batch_; }

 private:
  // A write beyond fails, and its line counts as lost: a logger fills a disk in no time.
  static void limit_file() {
    signal(SIGXFSZ, SIG_IGN);
    rlimit l{};
    if (getrlimit(RLIMIT_FSIZE, &l) != 0) fail("limit of the log's file");
    l.rlim_cur = std::min(l.rlim_max, max_file);
    if (setrlimit(RLIMIT_FSIZE, &l) != 0) fail("limit of the log's file");
  }

  // start opens the sink and a logger on it.
  void start() {
    std::string path = "/dev/null";
    Fd end;
    if (kind_ == "pipe") {
      end = counter_.start();
      path = end.path();
    } else if (kind_ == "file") {
      create();
      path = file_.path();
    }
    sink_ = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path);
    make_logger();
  }

  // create makes the file and takes its name away: it is gone with the process,
  // however that ends.
  void create() {
    std::string name = std::filesystem::temp_directory_path() / "versus-log-XXXXXX";
    file_ = Fd(mkostemp(name.data(), O_CLOEXEC));
    if (file_.get() < 0 || unlink(name.c_str()) != 0) fail("the log's file " + name);
  }

  void make_logger() {
    if (async_) {
      pool_ = std::make_shared<spdlog::details::thread_pool>(queue_, 1);
      logger_ = std::make_shared<spdlog::async_logger>("log", sink_, pool_, spdlog::async_overflow_policy::block);
    } else {
      logger_ = std::make_shared<spdlog::logger>("log", sink_);
    }
    if (every_ == 1) logger_->flush_on(spdlog::level::info);
  }

  Addresses effective() const {
    Addresses e;
    e["library"] = "spdlog";
    e["spdlog"] = std::to_string(SPDLOG_VER_MAJOR) + "." + std::to_string(SPDLOG_VER_MINOR) + "." + std::to_string(SPDLOG_VER_PATCH);
    e["layout"] = "text: [time] [log] [info] line";
    e["mode"] = async_ ? "async: a thread of spdlog; at a full queue the caller waits" : "sync";
    if (async_) e["queue"] = std::to_string(queue_);
    e["batch"] = std::to_string(batch_);
    const std::string full = "and when stdio's buffer is full";
    e["flush"] = every_ == 1 ? "each line" : every_ == 0 ? "at the end, " + full : "every " + std::to_string(every_) + " lines, " + full;
    e["sink"] = kind_ == "null" ? "the device /dev/null; lines can't be counted" : kind_ == "pipe" ? "a pipe that wc empties" : file_system();
    return e;
  }

  std::string file_system() const {
    struct statfs s {};
    if (fstatfs(file_.get(), &s) != 0) return "a file";
    switch (s.f_type) {
      case EXT4_SUPER_MAGIC: return "a file on ext4";
      case TMPFS_MAGIC: return "a file on tmpfs";
      case XFS_SUPER_MAGIC: return "a file on xfs";
      case BTRFS_SUPER_MAGIC: return "a file on btrfs";
      case OVERLAYFS_SUPER_MAGIC: return "a file on overlayfs";
    }
    char text[64];
    snprintf(text, sizeof text, "a file on a file system of type %#lx", static_cast<unsigned long>(s.f_type));
    return text;
  }

  std::string kind_, line_;
  bool async_ = false;
  size_t queue_ = 0;
  int batch_ = 1;
  int64_t every_ = 1;  // lines between flushes; 0 is at the end
  std::atomic<int64_t> logged_{0};
  Fd file_;
  Counter counter_;
  std::shared_ptr<spdlog::sinks::basic_file_sink_mt> sink_;
  std::shared_ptr<spdlog::details::thread_pool> pool_;  // of async
  std::shared_ptr<spdlog::logger> logger_;
};

}  // namespace

int main(int argc, char** argv) {
  return versus::run("log", {{"logger", [] { return std::make_unique<Spdlog>(); }}}, argc, argv);
}
