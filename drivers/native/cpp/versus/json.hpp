// JSON as the worker protocol uses it. The reader takes its input as untrusted:
// it is strict, and bounds the depth.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace versus {

// Json is one value. An object keeps the order of its members.
class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;

  Json() = default;
  Json(bool b) : value_(b) {}
  Json(int n) : value_(int64_t{n}) {}
  Json(int64_t n) : value_(n) {}
  Json(double x) : value_(x) {}
  Json(std::string s) : value_(std::move(s)) {}
  Json(const char* s) : value_(std::string(s)) {}
  Json(Array a) : value_(std::move(a)) {}
  Json(Object o) : value_(std::move(o)) {}

  bool is_null() const { return value_.index() == 0; }
  bool is_object() const { return std::holds_alternative<Object>(value_); }

  // The value if it has that type, else what stands in for it.
  bool boolean(bool otherwise = false) const { return get<bool>(otherwise); }
  std::string text(const std::string& otherwise = "") const { return get<std::string>(otherwise); }
  double number(double otherwise = 0) const {
    if (auto n = std::get_if<int64_t>(&value_)) return static_cast<double>(*n);
    return get<double>(otherwise);
  }
  int64_t integer(int64_t otherwise = 0) const {
    if (auto x = std::get_if<double>(&value_)) {
      return *x == std::floor(*x) && std::fabs(*x) < 0x1p62 ? static_cast<int64_t>(*x) : otherwise;
    }
    return get<int64_t>(otherwise);
  }
  const Array& items() const { return ref<Array>(); }
  const Object& members() const { return ref<Object>(); }

  // operator[] returns a member of an object, null if it isn't there. Of
  // members with the same name the last one counts.
  const Json& operator[](std::string_view name) const {
    static const Json none;
    const Json* found = &none;
    for (const auto& [key, value] : members()) {
      if (key == name) found = &value;
    }
    return *found;
  }

  // set adds a member; the value becomes an object if it is none.
  Json& set(std::string name, Json value) {
    if (!is_object()) value_ = Object{};
    std::get<Object>(value_).emplace_back(std::move(name), std::move(value));
    return *this;
  }

  std::string dump() const {
    std::string out;
    write(out);
    return out;
  }

  // parse reads one value that is the whole text. It throws std::runtime_error.
  static Json parse(std::string_view text);

 private:
  template <class T>
  T get(const T& otherwise) const {
    auto p = std::get_if<T>(&value_);
    return p ? *p : otherwise;
  }
  template <class T>
  const T& ref() const {
    static const T none;
    auto p = std::get_if<T>(&value_);
    return p ? *p : none;
  }
  void write(std::string& out) const;
  static void write_text(std::string& out, std::string_view s);

  std::variant<std::nullptr_t, bool, int64_t, double, std::string, Array, Object> value_;
};

inline void Json::write_text(std::string& out, std::string_view s) {
  static const char hex[] = "0123456789abcdef";
  out += '"';
  for (unsigned char c : s) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      default:
        if (c < 0x20) {
          out += "\\u00";
          out += hex[c >> 4];
          out += hex[c & 15];
        } else {
          out += static_cast<char>(c);
        }
    }
  }
  out += '"';
}

inline void Json::write(std::string& out) const {
  char buffer[32];
  if (is_null()) {
    out += "null";
  } else if (auto b = std::get_if<bool>(&value_)) {
    out += *b ? "true" : "false";
  } else if (auto n = std::get_if<int64_t>(&value_)) {
    out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, *n).ptr);
  } else if (auto x = std::get_if<double>(&value_)) {
    if (!std::isfinite(*x)) throw std::runtime_error("a number that is not finite can't be sent");
    out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, *x).ptr);
  } else if (auto s = std::get_if<std::string>(&value_)) {
    write_text(out, *s);
  } else if (auto a = std::get_if<Array>(&value_)) {
    out += '[';
    for (size_t i = 0; i < a->size(); i++) {
      if (i > 0) out += ',';
      (*a)[i].write(out);
    }
    out += ']';
  } else {
    out += '{';
    bool first = true;
    for (const auto& [key, value] : members()) {
      if (!first) out += ',';
      first = false;
      write_text(out, key);
      out += ':';
      value.write(out);
    }
    out += '}';
  }
}

namespace detail {

class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : p_(text.data()), end_(text.data() + text.size()) {}

  Json whole() {
    Json v = value(0);
    space();
    if (p_ != end_) fail("something follows the value");
    return v;
  }

 private:
  static constexpr int max_depth = 64;

  [[noreturn]] void fail(const char* why) { throw std::runtime_error(std::string("not JSON: ") + why); }

  void space() {
    while (p_ != end_ && (*p_ == ' ' || *p_ == '\t' || *p_ == '\r' || *p_ == '\n')) p_++;
  }
  bool take(char c) {
    space();
    if (p_ == end_ || *p_ != c) return false;
    p_++;
    return true;
  }
  bool word(std::string_view w) {
    if (static_cast<size_t>(end_ - p_) < w.size() || std::string_view(p_, w.size()) != w) return false;
    p_ += w.size();
    return true;
  }

  Json value(int depth) {
    if (depth > max_depth) fail("too deep");
    space();
    if (p_ == end_) fail("it ends too early");
    switch (*p_) {
      case '{': return object(depth);
      case '[': return array(depth);
      case '"': return text();
      case 't': if (word("true")) return true; break;
      case 'f': if (word("false")) return false; break;
      case 'n': if (word("null")) return {}; break;
      default: return number();
    }
    fail("an unknown word");
  }

  Json object(int depth) {
    Json::Object o;
    p_++;
    if (take('}')) return o;
    do {
      space();
      if (p_ == end_ || *p_ != '"') fail("a name is missing");
      std::string key = text();
      if (!take(':')) fail("a colon is missing");
      o.emplace_back(std::move(key), value(depth + 1));
    } while (take(','));
    if (!take('}')) fail("an object doesn't end");
    return o;
  }

  Json array(int depth) {
    Json::Array a;
    p_++;
    if (take(']')) return a;
    do {
      a.push_back(value(depth + 1));
    } while (take(','));
    if (!take(']')) fail("an array doesn't end");
    return a;
  }

  static bool digit(char c) { return c >= '0' && c <= '9'; }
  void digits() {
    if (p_ == end_ || !digit(*p_)) fail("a digit is missing");
    while (p_ != end_ && digit(*p_)) p_++;
  }

  Json number() {
    const char* from = p_;
    bool whole = true;
    if (*p_ == '-') p_++;
    if (p_ != end_ && *p_ == '0') {
      p_++;
    } else {
      digits();
    }
    if (p_ != end_ && *p_ == '.') {
      whole = false;
      p_++;
      digits();
    }
    if (p_ != end_ && (*p_ == 'e' || *p_ == 'E')) {
      whole = false;
      p_++;
      if (p_ != end_ && (*p_ == '+' || *p_ == '-')) p_++;
      digits();
    }
    int64_t n = 0;
    if (whole && std::from_chars(from, p_, n).ec == std::errc{}) return n;
    double x = 0;
    // Out of range: no field that is used allows infinity.
    if (std::from_chars(from, p_, x).ec != std::errc{}) return std::strtod(std::string(from, p_).c_str(), nullptr);
    return x;
  }

  unsigned hex4() {
    unsigned n = 0;
    if (end_ - p_ < 4) fail("a broken escape");
    for (int i = 0; i < 4; i++, p_++) {
      char c = *p_;
      unsigned d = digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
      if (d == 16) fail("a broken escape");
      n = n * 16 + d;
    }
    return n;
  }

  static void utf8(std::string& s, unsigned c) {
    if (c < 0x80) {
      s += static_cast<char>(c);
    } else if (c < 0x800) {
      s += static_cast<char>(0xc0 | c >> 6);
      s += static_cast<char>(0x80 | (c & 63));
    } else if (c < 0x10000) {
      s += static_cast<char>(0xe0 | c >> 12);
      s += static_cast<char>(0x80 | (c >> 6 & 63));
      s += static_cast<char>(0x80 | (c & 63));
    } else {
      s += static_cast<char>(0xf0 | c >> 18);
      s += static_cast<char>(0x80 | (c >> 12 & 63));
      s += static_cast<char>(0x80 | (c >> 6 & 63));
      s += static_cast<char>(0x80 | (c & 63));
    }
  }

  void escape(std::string& s) {
    if (p_ == end_) fail("a broken escape");
    switch (*p_++) {
      case '"': s += '"'; return;
      case '\\': s += '\\'; return;
      case '/': s += '/'; return;
      case 'b': s += '\b'; return;
      case 'f': s += '\f'; return;
      case 'n': s += '\n'; return;
      case 'r': s += '\r'; return;
      case 't': s += '\t'; return;
      case 'u': break;
      default: fail("an unknown escape");
    }
    unsigned c = hex4();
    if (c >= 0xd800 && c < 0xdc00 && end_ - p_ >= 6 && p_[0] == '\\' && p_[1] == 'u') {
      const char* before = p_;
      p_ += 2;
      unsigned low = hex4();
      if (low >= 0xdc00 && low < 0xe000) {
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
      } else {
        p_ = before;
      }
    }
    if (c >= 0xd800 && c < 0xe000) c = 0xfffd;  // half of a pair
    utf8(s, c);
  }

  std::string text() {
    std::string s;
    p_++;
    for (;;) {
      if (p_ == end_) fail("a text doesn't end");
      unsigned char c = static_cast<unsigned char>(*p_++);
      if (c == '"') return s;
      if (c < 0x20) fail("a control character in a text");
      if (c == '\\') {
        escape(s);
      } else {
        s += static_cast<char>(c);
      }
    }
  }

  const char* p_;
  const char* end_;
};

}  // namespace detail

inline Json Json::parse(std::string_view text) { return detail::JsonReader(text).whole(); }

}  // namespace versus
