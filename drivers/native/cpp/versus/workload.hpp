// What a run asks of a worker, as the interpreter sends it in `prepare`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "versus/json.hpp"

namespace versus {

// Extent is how long a phase lasts: by time or by number of calls; a phase
// without both has no length.
struct Extent {
  double seconds = 0;
  int64_t calls = 0;

  bool empty() const { return seconds == 0 && calls == 0; }
};

// Payload is what each message carries.
struct Payload {
  std::string kind;  // bytes, lines, structs
  int64_t bytes = 0; // size of one message's content
  int64_t count = 0; // structs or lines in one message
  std::string text;  // content of kind lines, and the text field of kind structs, a line each in turn
  double value = 0;  // number field of kind structs

  // content returns the bytes of one message, the same as the Go kit's: those
  // of kind bytes are incompressible. It is empty for structs, which every
  // driver encodes in its own way.
  std::string content() const;

  // lines returns the lines of the text, one at least.
  std::vector<std::string> lines() const;
};

struct Workload {
  std::string driver, pattern;  // pattern: rpc, pubsub, log
  Json options;                 // arguments of the backend block by name
  Payload payload;
  std::string call;       // rpc: twoway, async, oneway, batch_oneway
  int concurrency = 1;    // rpc: callers side by side
  int topics = 1;         // pubsub
  double rate = 0;        // per second, of each caller or topic; 0 is a closed loop
  int in_flight = 1;      // rpc: calls that one caller may have waiting
  std::string transfer;   // pubsub over shared memory: copy, loan
  Extent warmup, measure;

  // read takes what the interpreter sent. It throws std::runtime_error for what
  // no load can be made of. It doesn't know what the driver can carry.
  static Workload read(const Json& w);
};

// Addresses of the roles that were ready before, by role and name:
// peers["server"]["address"].
using Addresses = std::map<std::string, std::string>;
using Peers = std::map<std::string, Addresses>;

inline std::string Payload::content() const {
  if (kind == "lines") return text;
  if (kind != "bytes") return "";
  // PCG of Go's math/rand/v2, seeded with 1 and 2; the high half of each output.
  __extension__ typedef unsigned __int128 uint128;
  const uint128 mul = static_cast<uint128>(2549297995355413924u) << 64 | 4865540595714422341u;
  const uint128 inc = static_cast<uint128>(6364136223846793005u) << 64 | 1442695040888963407u;
  uint128 state = static_cast<uint128>(1) << 64 | 2;
  std::string b(static_cast<size_t>(bytes), 0);
  for (char& c : b) {
    state = state * mul + inc;
    uint64_t hi = static_cast<uint64_t>(state >> 64);
    const uint64_t lo = static_cast<uint64_t>(state);
    hi ^= hi >> 32;
    hi *= 0xda942042e4dd58b5u;
    hi ^= hi >> 48;
    hi *= lo | 1;
    c = static_cast<char>(hi >> 32);
  }
  return b;
}

inline std::vector<std::string> Payload::lines() const {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) all.push_back(line);
  if (all.empty()) all.emplace_back();
  return all;
}

namespace detail {

inline Extent read_extent(const Json& x) {
  Extent e{x["seconds"].number(), x["calls"].integer()};
  if (!(e.seconds >= 0 && e.seconds <= 2147483647) || e.calls < 0 || (e.seconds > 0 && e.calls > 0)) {
    throw std::runtime_error("a phase needs seconds or calls, one of them, above 0");
  }
  return e;
}

inline int read_count(const Json& w, const char* name, int64_t most, int absent) {
  const int64_t n = w[name].integer();
  if (n < 0 || n > most) {
    throw std::runtime_error(std::string(name) + " is " + std::to_string(n) + "; it must be from 0 to " + std::to_string(most));
  }
  return n == 0 ? absent : static_cast<int>(n);
}

}  // namespace detail

inline Workload Workload::read(const Json& w) {
  // Limits against a workload that would only exhaust the machine; those of the Go kit.
  constexpr int64_t max_callers = 100'000, max_topics = 10'000, max_bytes = int64_t{1} << 31;
  constexpr double max_rate = 10'000'000;
  Workload r;
  r.driver = w["driver"].text();
  r.pattern = w["pattern"].text();
  r.options = w["options"];
  const Json& p = w["payload"];
  r.payload = {p["kind"].text(), p["bytes"].integer(), p["count"].integer(), p["text"].text(), p["value"].number()};
  r.call = w["call"].text("twoway");
  r.transfer = w["transfer"].text("copy");
  r.rate = w["rate"].number();
  r.concurrency = detail::read_count(w, "concurrency", max_callers, 1);
  r.topics = detail::read_count(w, "topics", max_topics, 1);
  r.in_flight = detail::read_count(w, "in_flight", max_callers, 16);
  if (r.rate == 0) r.in_flight = 1;
  r.warmup = detail::read_extent(w["warmup"]);
  r.measure = detail::read_extent(w["measure"]);
  if (!(r.rate >= 0 && r.rate <= max_rate)) throw std::runtime_error("a rate must be from 0 to 10,000,000 per second");
  if (r.in_flight > max_callers / r.concurrency) throw std::runtime_error("more than 100,000 calls in flight");
  if (r.payload.bytes < 0 || r.payload.bytes > max_bytes) throw std::runtime_error("a payload must have from 0 to 2 GiB");
  if (r.payload.count < 0) throw std::runtime_error("a payload can't have a number of items below 0");
  if (r.measure.empty()) throw std::runtime_error("the window to measure has no length");
  return r;
}

}  // namespace versus
