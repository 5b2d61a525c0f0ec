// What is recorded of the times in a window: an HdrHistogram of the protocol's
// geometry, exact sums, and sums over equal shares of the extent.
// docs/worker-protocol.md describes all formats.
#pragma once

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "versus/json.hpp"

namespace versus {

constexpr int64_t max_trackable = 3'600'000'000'000;  // ns: one hour
__extension__ typedef unsigned __int128 uint128;

// histogram_index returns the place of the time v, ns, in the counts.
constexpr int histogram_index(int64_t v) {
  const int shift = 64 - __builtin_clzll(static_cast<uint64_t>(v) | 2047) - 11;
  return (shift << 10) + static_cast<int>(v >> shift);
}
constexpr int histogram_size = histogram_index(max_trackable) + 1;

inline std::string base64(const std::string& raw) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < raw.size(); i += 3) {
    uint32_t n = 0;
    const size_t have = std::min<size_t>(3, raw.size() - i);
    for (size_t k = 0; k < 3; k++) n = n << 8 | (k < have ? static_cast<unsigned char>(raw[i + k]) : 0);
    for (size_t k = 0; k < 4; k++) out += k <= have ? digits[n >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

// Recorder records times. It is not safe for concurrent use.
class Recorder {
 public:
  // One of n recorders. With few of them the counts of times up to a second are
  // in memory before the window opens; with many that would weigh more than
  // the page faults.
  explicit Recorder(int n = 1)
      : counts_(static_cast<int64_t*>(std::calloc(histogram_size, sizeof(int64_t))), std::free) {
    if (!counts_) throw std::bad_alloc();
    if (n <= 64) std::memset(counts_.get(), 0, histogram_index(1 << 30) * sizeof(int64_t));
  }

  // record adds one time in nanoseconds, not below 0.
  void record(int64_t ns) {
    int i = histogram_size - 1;
    if (ns > max_trackable) {
      over_++;
    } else {
      i = histogram_index(ns);
    }
    counts_.get()[i]++;
    count_++;
    sum_ += ns;
    min_ = std::min(min_, ns);
    max_ = std::max(max_, ns);
    squares_ += static_cast<uint128>(static_cast<uint64_t>(ns)) * static_cast<uint64_t>(ns);
  }

  void reset() {
    std::memset(counts_.get(), 0, used() * sizeof(int64_t));
    count_ = sum_ = max_ = over_ = 0;
    min_ = std::numeric_limits<int64_t>::max();
    squares_ = 0;
  }

  // add adds the times of another recorder.
  void add(const Recorder& o) {
    if (o.count_ == 0) return;
    for (int i = 0; i < o.used(); i++) counts_.get()[i] += o.counts_.get()[i];
    count_ += o.count_;
    sum_ += o.sum_;
    min_ = std::min(min_, o.min_);
    max_ = std::max(max_, o.max_);
    over_ += o.over_;
    squares_ += o.squares_;
  }

  int64_t count() const { return count_; }
  double mean() const { return static_cast<double>(sum_) / static_cast<double>(count_); }

  // distribution returns what the protocol sends; null without times.
  Json distribution() const {
    if (count_ == 0) return {};
    Json d;
    d.set("count", count_).set("sum", sum_).set("min", min_).set("max", max_);
    d.set("sum_squares", static_cast<double>(squares_) * 1e-18).set("histogram", encode());
    if (over_ > 0) d.set("over", over_);
    return d;
  }

 private:
  int used() const { return histogram_index(std::min(max_, max_trackable)) + 1; }

  template <class T>
  static void big_endian(std::string& out, T n) {
    for (int shift = 8 * (sizeof(T) - 1); shift >= 0; shift -= 8) out += static_cast<char>(n >> shift & 255);
  }

  // zigzag writes n as ZigZag LEB128 of at most 9 bytes, the ninth with 8 bits.
  static void zigzag(std::string& out, int64_t n) {
    uint64_t u = static_cast<uint64_t>(n) << 1 ^ static_cast<uint64_t>(n >> 63);
    for (int i = 0; i < 8; i++, u >>= 7) {
      if (u < 128) {
        out += static_cast<char>(u);
        return;
      }
      out += static_cast<char>(u | 128);
    }
    out += static_cast<char>(u);
  }

  std::string encode() const {
    std::string body;
    for (int i = 0; i < used();) {
      if (const int64_t n = counts_.get()[i]) {
        zigzag(body, n);
        i++;
        continue;
      }
      int zeros = 0;
      while (i < used() && counts_.get()[i] == 0) zeros++, i++;
      zigzag(body, zeros == 1 ? 0 : -zeros);
    }
    std::string plain;
    big_endian(plain, uint32_t{0x1c849313});
    big_endian(plain, static_cast<uint32_t>(body.size()));
    big_endian(plain, uint32_t{0});
    big_endian(plain, uint32_t{3});
    big_endian(plain, int64_t{1});
    big_endian(plain, max_trackable);
    big_endian(plain, uint64_t{0x3ff0000000000000});  // 1.0
    plain += body;
    uLongf size = compressBound(plain.size());
    std::string packed(size, 0);
    if (compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(plain.data()), plain.size()) != Z_OK) {
      throw std::runtime_error("the histogram can't be compressed");
    }
    std::string all;
    big_endian(all, uint32_t{0x1c849314});
    big_endian(all, static_cast<uint32_t>(size));
    all.append(packed, 0, size);
    return base64(all);
  }

  std::unique_ptr<int64_t, void (*)(void*)> counts_;
  int64_t count_ = 0, sum_ = 0, min_ = std::numeric_limits<int64_t>::max(), max_ = 0, over_ = 0;
  uint128 squares_ = 0;
};

constexpr int max_windows = 100;

// Windows are times summed up over equal shares of the extent. A time belongs to
// the window in which its call was due or, in a closed loop, began; where the
// extent is a number of calls, to the window of its number.
class Windows {
 public:
  struct Sum {
    int64_t count = 0, sum = 0;
  };

  // begin forgets everything and cuts what is from start on, of this length, ns
  // or calls, into n windows.
  void begin(int n, int64_t start, double length) {
    sums_.assign(n, {});
    start_ = start;
    scale_ = n / std::max(length, 1.0);
  }

  // record adds a time, ns, to the window of the point at.
  void record(int64_t at, int64_t ns) {
    const auto last = static_cast<double>(sums_.size() - 1);
    const auto k = static_cast<size_t>(std::clamp(static_cast<double>(at - start_) * scale_, 0.0, last));
    sums_[k].count++;
    sums_[k].sum += ns;
  }

  // add adds the sums of other windows, of which there may be more.
  void add(const Windows& o) {
    if (o.sums_.size() > sums_.size()) sums_.resize(o.sums_.size());
    for (size_t k = 0; k < o.sums_.size(); k++) {
      sums_[k].count += o.sums_[k].count;
      sums_[k].sum += o.sums_[k].sum;
    }
  }

  // list returns what the protocol sends; null without times.
  Json list() const {
    Json::Array all;
    bool any = false;
    for (const Sum& s : sums_) {
      all.push_back(Json().set("count", s.count).set("sum", s.sum));
      any = any || s.count > 0;
    }
    return any ? Json(all) : Json();
  }

 private:
  std::vector<Sum> sums_ = std::vector<Sum>(1);
  int64_t start_ = 0;
  double scale_ = 1;
};

}  // namespace versus
