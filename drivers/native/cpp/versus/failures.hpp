// Failed calls: what a scenario sees of them, and when a load gives up.
#pragma once

#include <cstdint>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>

#include "versus/json.hpp"
#include "versus/roles.hpp"

namespace versus {

// Failures counts the failed calls of one caller.
class Failures {
 public:
  // add counts the exception being handled, and throws when there were too many in a row.
  // It says how many are too many: calls that were under way fail after the last of them.
  void add() {
    std::string kind = "other", text = "unknown exception";
    try {
      throw;
    } catch (const Failure& f) {
      kind = f.kind, text = f.what();
    } catch (const std::exception& e) {
      text = e.what();
    } catch (...) {
    }
    auto& k = kinds_[kind];
    if (k.count++ == 0) k.first = text.substr(0, 500);
    if (++in_a_row_ >= max_in_a_row) {
      throw std::runtime_error("gave up after " + std::to_string(max_in_a_row) + " calls in a row failed; the first one: " + k.first);
    }
  }
  void succeeded() { in_a_row_ = 0; }
  void reset() { kinds_.clear(), in_a_row_ = 0; }

  // merge adds the counts to those of all callers.
  void merge(Failures& all) const {
    for (const auto& [kind, k] : kinds_) {
      auto& a = all.kinds_[kind];
      if (a.count == 0) a.first = k.first;
      a.count += k.count;
    }
  }
  void unsent(int64_t n, Json::Array& flags) {
    if (n == 0) return;
    kinds_["unsent"].count += n;
    flags.push_back("overload: " + std::to_string(n) + " messages that were due in the window had not been sent 2s after its end");
  }
  void report(Json& result, Json::Array& flags) const {
    if (kinds_.empty()) return;
    Json errors;
    for (const auto& [kind, k] : kinds_) {
      errors.set(kind, k.count);
      if (!k.first.empty()) flags.push_back("error " + kind + ": " + k.first);
    }
    result.set("errors", errors);
  }

 private:
  static constexpr int max_in_a_row = 1000;
  struct Kind {
    int64_t count = 0;
    std::string first;  // message
  };
  std::map<std::string, Kind> kinds_;
  int in_a_row_ = 0;
};

}  // namespace versus
