// Answers questions about the parts of the kit, a line of JSON each, for the
// tests that hold them against the Go kit.
#include "versus.hpp"

using namespace versus;

namespace {

Json answer(const Json& q) {
  const std::string ask = q["ask"].text();
  if (ask == "index") return histogram_index(q["value"].integer());
  if (ask == "content") return base64(Workload::read(q["workload"]).payload.content());
  if (ask == "base64") return base64(q["text"].text());
  if (ask == "json") return Json::parse(q["text"].text());
  if (ask == "parse") return Wire::parse(q["text"].text())["type"].text();
  if (ask == "slots") return slots_within(q["periods"].number(), q["phase"].number());
  if (ask == "distribution") {
    std::array<Recorder, 3> parts;
    size_t i = 0;
    for (const Json& t : q["times"].items()) parts[i++ % parts.size()].record(t.integer());
    Recorder all;
    all.record(1);
    all.reset();
    for (const Recorder& p : parts) all.add(p);
    return all.distribution();
  }
  if (ask == "windows") {
    Windows a, b;
    const double length = q["length"].number();
    a.begin(static_cast<int>(q["n"].integer()), q["start"].integer(), length);
    b.begin(static_cast<int>(q["n"].integer()), q["start"].integer(), length);
    size_t i = 0;
    for (const Json& t : q["times"].items()) (i++ % 2 == 0 ? a : b).record(t.items().at(0).integer(), t.items().at(1).integer());
    a.add(b);
    return a.list();
  }
  if (ask == "pacer") {
    Pacer p(static_cast<int>(q["n"].integer()), q["rate"].number());
    for (const Json& t : q["times"].items()) p.adapt(t.integer());
    return p.margin();
  }
  if (ask == "stamp") {
    Stamp s;
    s.measured = q["measured"].boolean();
    s.topic = static_cast<uint16_t>(q["topic"].integer());
    s.sequence = static_cast<uint64_t>(q["sequence"].integer());
    s.due = q["due"].integer();
    s.sent = q["sent"].integer();
    return base64(std::string(reinterpret_cast<const char*>(&s), sizeof s));
  }
  if (ask == "sequences") {
    Sequences seen;
    Json::Array all;
    for (const Json& n : q["numbers"].items()) {
      const auto s = seen.add(static_cast<uint64_t>(n.integer()));
      all.push_back(Json::Array{s.fresh, s.in_order, s.plausible});
    }
    return all;
  }
  throw std::runtime_error("unknown question");
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::string text;
    try {
      text = Json().set("answer", answer(Json::parse(line))).dump();
    } catch (const std::exception& e) {
      text = Json().set("error", e.what()).dump();
    }
    std::cout << text << std::endl;
  }
}
