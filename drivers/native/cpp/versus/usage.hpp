// CPU time and peak memory of one process over the window.
#pragma once

#include <sched.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "versus/clock.hpp"
#include "versus/json.hpp"

namespace versus {

class Meter {
 public:
  // The process to measure; 0 is this one.
  pid_t pid = 0;

  // open begins the window.
  void open() {
    flags_.clear();
    // Has the kernel count the peak of the resident set anew. That of getrusage
    // would not do: a new process inherits that of its parent.
    std::ofstream refs(proc("clear_refs"));
    refs << "5" << std::flush;
    if (!refs) flags_.push_back("peak memory counts from the start of the process");
    start_ = cpu();
    at_ = now();
  }

  // close ends the window and adds what was used, and the window's length
  // unless elapsed says it.
  void close(Json& result, Json::Array& flags, bool elapsed) {
    const Cpu used = cpu();
    if (!elapsed) result.set("elapsed", seconds(now() - at_));
    result.set("cpu_user", std::max(used.user - start_.user, 0.0));
    result.set("cpu_system", std::max(used.system - start_.system, 0.0));
    const int64_t peak = peak_memory();
    if (peak > 0) {
      result.set("peak_memory", peak);
    } else {
      flags_.push_back("no peak memory: " + proc("status") + " can't be read");
    }
    for (const auto& f : flags_) flags.push_back(f);
  }

  // affinity returns the CPUs that the process may run on, as "0-3,8".
  std::string affinity() const {
    cpu_set_t set;
    if (sched_getaffinity(pid, sizeof set, &set) != 0) return "unknown";
    std::string text;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
      if (!CPU_ISSET(cpu, &set)) continue;
      const int first = cpu;
      while (cpu + 1 < CPU_SETSIZE && CPU_ISSET(cpu + 1, &set)) cpu++;
      if (!text.empty()) text += ',';
      text += std::to_string(first);
      if (cpu > first) text += '-' + std::to_string(cpu);
    }
    return text;
  }

 private:
  struct Cpu {
    double user = 0, system = 0;  // seconds; the sum is exact
  };

  std::string proc(const char* file) const {
    return "/proc/" + (pid == 0 ? "self" : std::to_string(pid)) + "/" + file;
  }

  Cpu cpu() const {
    if (pid == 0) {
      rusage ru;
      getrusage(RUSAGE_SELF, &ru);
      return {static_cast<double>(ru.ru_utime.tv_sec) + static_cast<double>(ru.ru_utime.tv_usec) * 1e-6,
              static_cast<double>(ru.ru_stime.tv_sec) + static_cast<double>(ru.ru_stime.tv_usec) * 1e-6};
    }
    // The CPU clock of another process is exact, where /proc/PID/stat counts in
    // steps of 10 ms: that only gives the split.
    timespec ts;
    clockid_t clock;
    if (int e = clock_getcpuclockid(pid, &clock); e != 0 || clock_gettime(clock, &ts) != 0) {
      throw std::runtime_error("CPU time of process " + std::to_string(pid) + ": " + std::strerror(e != 0 ? e : errno));
    }
    const double total = static_cast<double>(ts.tv_sec) + static_cast<double>(ts.tv_nsec) * 1e-9;
    double user = 0, system = 0;
    std::ifstream file(proc("stat"));
    std::string line((std::istreambuf_iterator<char>(file)), {});
    if (const auto end = line.rfind(')'); end != std::string::npos) {  // the name may contain anything
      std::istringstream fields(line.substr(end + 1));
      std::string skip;
      for (int i = 0; i < 11; i++) fields >> skip;
      fields >> user >> system;
    }
    if (user + system == 0) return {total, 0};
    return {total * user / (user + system), total * system / (user + system)};
  }

  // peak_memory returns the peak of the resident set, bytes; 0 is not known.
  int64_t peak_memory() const {
    std::ifstream file(proc("status"));
    for (std::string line; std::getline(file, line);) {
      if (line.rfind("VmHWM:", 0) == 0) return std::stoll(line.substr(6)) * 1024;
    }
    return 0;
  }

  Cpu start_;
  int64_t at_ = 0;
  std::vector<std::string> flags_;
};

}  // namespace versus
