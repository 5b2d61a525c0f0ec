// The worker of the driver iceoryx: publisher and subscriber over shared memory,
// and RouDi as broker:
//
//   iceoryx-worker publisher|subscriber
//   iceoryx-worker broker CHUNK CHUNKS private|shared
#include <sys/socket.h>
#include <sys/un.h>

#include <deque>
#include <optional>

#include "iceoryx_hoofs/log/logmanager.hpp"
#include "iceoryx_posh/mepoo/chunk_header.hpp"
#include "iceoryx_posh/popo/listener.hpp"
#include "iceoryx_posh/popo/untyped_publisher.hpp"
#include "iceoryx_posh/popo/untyped_subscriber.hpp"
#include "iceoryx_posh/popo/wait_set.hpp"
#include "iceoryx_posh/runtime/posh_runtime.hpp"
#include "iceoryx_versions.hpp"
#include "roudi.hpp"
#include "versus.hpp"

using namespace versus;

namespace {

// How long a publisher waits for its subscribers, ns.
constexpr int64_t match_time = 5'000'000'000;

// RouDi aligns chunks to this many bytes.
constexpr uint32_t alignment = 8;

iox::capro::ServiceDescription service(int topic) {
  const iox::capro::IdString_t name(iox::cxx::TruncateToCapacity, "topic-" + std::to_string(topic));
  return {"versus", name, "message"};
}

void join_broker(const Setup& s) { join_private(s.peers.at("broker").at("pid")); }

// start_runtime connects this process to RouDi. Without one iceoryx itself would
// wait for a minute, and then abort.
void start_runtime(const std::string& role) {
  const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) throw failed("socket");
  sockaddr_un a{};
  a.sun_family = AF_UNIX;
  const std::string path = sockets() + "roudi";
  path.copy(a.sun_path, sizeof a.sun_path - 1);
  const bool there = connect(fd, reinterpret_cast<sockaddr*>(&a), sizeof a) == 0;
  close(fd);
  if (!there) throw failed("no iox-roudi answers at " + path);
  iox::log::LogManager::GetLogManager().SetDefaultLogLevel(iox::log::LogLevel::kError, iox::log::LogLevelOutput::kHideLogLevel);
  const std::string name = "versus-" + role + "-" + std::to_string(getpid());
  iox::runtime::PoshRuntime::initRuntime({iox::cxx::TruncateToCapacity, name});
}

Ready ready(const Workload& w) {
  Ready r;
  r.effective = {{"iceoryx", ICEORYX_LATEST_RELEASE_VERSION},
                 {"transfer", w.transfer},
                 {"full_queue", w.options["full_queue"].text("drop_oldest")}};
  return r;
}

bool blocks(const Workload& w) { return w.options["full_queue"].text() == "block"; }

class IceoryxPublisher : public Publisher {
 public:
  void enter(const Setup& s) override { join_broker(s); }

  Ready open(const Setup& s, const std::atomic<bool>& stopped) override {
    start_runtime("publisher");
    iox::popo::PublisherOptions o;
    o.historyCapacity = 0;
    if (blocks(s.workload)) o.subscriberTooSlowPolicy = iox::popo::ConsumerTooSlowPolicy::WAIT_FOR_CONSUMER;
    for (int i = 0; i < s.workload.topics; i++) ports_.emplace_back(service(i), o);
    const int64_t end = now() + match_time;
    for (auto& p : ports_) {
      while (!p.hasSubscribers()) {
        if (stopped) throw std::runtime_error("stopped before a subscriber was there");
        if (now() > end) throw std::runtime_error("no subscriber came within 5 s");
        usleep(1000);
      }
    }
    return ready(s.workload);
  }

  void publish(int topic, const void* message, size_t size) override {
    void* chunk = loan(topic, size);
    std::memcpy(chunk, message, size);
    ports_[topic].publish(chunk);
  }

  void* loan(int topic, size_t size) override {
    auto chunk = ports_[topic].loan(static_cast<uint32_t>(size), alignment);
    if (chunk.has_error()) throw Failure("loan", "RouDi has no chunk of memory left to lend");
    return chunk.value();
  }

  void publish_loan(int topic, void* chunk, size_t) override { ports_[topic].publish(chunk); }

 private:
  std::deque<iox::popo::UntypedPublisher> ports_;  // by topic
};

class IceoryxSubscriber : public Subscriber {
 public:
  void enter(const Setup& s) override { join_broker(s); }

  Ready open(const Setup& s, const std::atomic<bool>&) override {
    const Workload& w = s.workload;
    start_runtime("subscriber");
    iox::popo::SubscriberOptions o;
    o.queueCapacity = static_cast<uint64_t>(w.options["queue"].integer(16));
    o.historyRequest = 0;
    if (blocks(w)) o.queueFullPolicy = iox::popo::QueueFullPolicy::BLOCK_PRODUCER;
    for (int i = 0; i < w.topics; i++) {
      ports_.emplace_back(*this, i, o);
      if (w.transfer != "loan") ports_.back().copy.resize(w.payload.content().size());
    }
    how_ = w.options["receive"].text("waitset");
    // Before anybody publishes: for a message that came earlier nobody is woken.
    if (how_ == "listener") listen();
    if (how_ == "waitset") attach();
    Ready r = ready(w);
    r.effective["receive"] = how_;
    r.effective["queue"] = std::to_string(o.queueCapacity);
    return r;
  }

  void run(const std::atomic<bool>& stopped) override {
    while (!stopped && how_ == "poll") {
      for (auto& p : ports_) p.drain();
    }
    while (!stopped && how_ == "waitset") {
      for (const auto* n : waitset_->timedWait(iox::units::Duration::fromMilliseconds(100))) ports_[n->getNotificationId()].drain();
    }
  }

  ~IceoryxSubscriber() override {
    for (auto& p : ports_) {
      if (listener_) listener_->detachEvent(p.port, iox::popo::SubscriberEvent::DATA_RECEIVED);
      if (waitset_) waitset_->detachState(p.port, iox::popo::SubscriberState::HAS_DATA);
    }
    listener_.reset();
    waitset_.reset();
  }

 private:
  struct Port {
    Port(IceoryxSubscriber& s, int i, const iox::popo::SubscriberOptions& o) : owner(s), topic(i), port(service(i), o) {}

    // drain hands over all messages that are there.
    void drain() {
      for (auto chunk = port.take(); !chunk.has_error(); chunk = port.take()) {
        const void* message = chunk.value();
        size_t size = iox::mepoo::ChunkHeader::fromUserPayload(message)->userPayloadSize();
        if (copy.empty()) {
          owner.receive(topic, message, size);
        } else {
          size = std::min(size, copy.size());
          std::memcpy(copy.data(), message, size);
          owner.receive(topic, copy.data(), size);
        }
        port.release(message);
      }
    }

    IceoryxSubscriber& owner;
    int topic;
    iox::popo::UntypedSubscriber port;
    std::string copy;  // where a message is copied to; empty: it is used where it lies
  };

  void listen() {
    listener_.emplace();
    for (auto& p : ports_) {
      auto callback = iox::popo::createNotificationCallback(*+[](iox::popo::UntypedSubscriber*, Port* port) { port->drain(); }, p);
      if (listener_->attachEvent(p.port, iox::popo::SubscriberEvent::DATA_RECEIVED, callback).has_error()) {
        throw std::runtime_error("a topic can't be attached to the listener");
      }
    }
  }

  void attach() {
    waitset_.emplace();
    for (auto& p : ports_) {
      if (waitset_->attachState(p.port, iox::popo::SubscriberState::HAS_DATA, static_cast<uint64_t>(p.topic)).has_error()) {
        throw std::runtime_error("a topic can't be attached to the waitset");
      }
    }
  }

  std::string how_;         // waitset, listener, poll
  std::deque<Port> ports_;  // by topic
  std::optional<iox::popo::Listener> listener_;
  std::optional<iox::popo::WaitSet<>> waitset_;
};

}  // namespace

int main(int argc, char** argv) {
  auto argument = [&](int i) { return std::string(i < argc ? argv[i] : ""); };
  return run("iceoryx",
             {
                 {"broker", [&] { return std::make_unique<RouDi>(argument(2), argument(3), argument(4) != "shared"); }},
                 {"subscriber", [] { return std::make_unique<IceoryxSubscriber>(); }},
                 {"publisher", [] { return std::make_unique<IceoryxPublisher>(); }},
             },
             argc, argv);
}
