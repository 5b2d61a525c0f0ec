// The least that publishes and receives with iceoryx, to hold the driver against:
//
//   pair subscriber COUNT copy|loan drop|block     prints the median latency, ns
//   pair publisher COUNT copy|loan drop|block SIZE HERTZ     prints messages/s
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "iceoryx_hoofs/log/logmanager.hpp"
#include "iceoryx_posh/popo/untyped_publisher.hpp"
#include "iceoryx_posh/popo/untyped_subscriber.hpp"
#include "iceoryx_posh/popo/wait_set.hpp"
#include "iceoryx_posh/runtime/posh_runtime.hpp"

using namespace iox;
using namespace iox::popo;

static int64_t now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

struct Header {
  int64_t number, sent;
};

static void subscribe(const capro::ServiceDescription& service, long count, bool copy, bool block) {
  SubscriberOptions o;
  o.queueCapacity = 16;
  o.historyRequest = 0;
  if (block) o.queueFullPolicy = QueueFullPolicy::BLOCK_PRODUCER;
  UntypedSubscriber subscriber(service, o);
  WaitSet<> waitset;
  if (waitset.attachState(subscriber, SubscriberState::HAS_DATA).has_error()) std::exit(1);
  std::vector<int64_t> times;
  times.reserve(static_cast<size_t>(count));
  std::string local(1 << 20, 0);
  for (bool end = false; !end;) {
    waitset.timedWait(units::Duration::fromMilliseconds(500));
    for (auto chunk = subscriber.take(); !chunk.has_error(); chunk = subscriber.take()) {
      const char* message = static_cast<const char*>(chunk.value());
      if (copy) {
        const auto size = mepoo::ChunkHeader::fromUserPayload(message)->userPayloadSize();
        message = static_cast<const char*>(std::memcpy(local.data(), message, std::min<size_t>(size, local.size())));
      }
      const int64_t at = now();
      Header h;
      std::memcpy(&h, message, sizeof h);
      subscriber.release(chunk.value());
      if (h.number >= 0) times.push_back(at - h.sent);
      end = h.number < 0;
    }
  }
  std::nth_element(times.begin(), times.begin() + static_cast<long>(times.size() / 2), times.end());
  std::printf("%lld\n", static_cast<long long>(times[times.size() / 2]));
}

static void publish(const capro::ServiceDescription& service, long count, bool copy, bool block, uint32_t size, double rate) {
  PublisherOptions o;
  o.historyCapacity = 0;
  if (block) o.subscriberTooSlowPolicy = ConsumerTooSlowPolicy::WAIT_FOR_CONSUMER;
  UntypedPublisher publisher(service, o);
  while (!publisher.hasSubscribers()) usleep(1000);
  std::string source(size, 'x');
  const int64_t start = now();
  int64_t end = start;
  for (long i = 0; i <= count; i++) {
    if (i == count) usleep(20000), end = now() - 20000000;
    if (rate > 0) {
      const int64_t due = start + static_cast<int64_t>(static_cast<double>(i) * 1e9 / rate);
      timespec ts{due / 1000000000, due % 1000000000};
      clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, nullptr);
    }
    const Header h{i < count ? i : -1, now()};
    auto chunk = publisher.loan(size, 8);
    if (chunk.has_error()) std::exit(1);
    if (copy) {
      std::memcpy(source.data(), &h, sizeof h);
      std::memcpy(chunk.value(), source.data(), size);
    } else {
      std::memcpy(chunk.value(), &h, sizeof h);
    }
    publisher.publish(chunk.value());
  }
  std::printf("%.0f\n", static_cast<double>(count) / (static_cast<double>(end - start) * 1e-9));
  std::fflush(stdout);
  usleep(100000);
}

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  const std::string role = argv[1];
  const long count = std::atol(argv[2]);
  const bool copy = std::string(argv[3]) == "copy", block = std::string(argv[4]) == "block";
  log::LogManager::GetLogManager().SetDefaultLogLevel(log::LogLevel::kError, log::LogLevelOutput::kHideLogLevel);
  runtime::PoshRuntime::initRuntime({cxx::TruncateToCapacity, "pair-" + role + "-" + std::to_string(getpid())});
  const capro::ServiceDescription service{"pair", "t", "message"};
  if (role == "subscriber") {
    subscribe(service, count, copy, block);
  } else if (argc > 6) {
    publish(service, count, copy, block, static_cast<uint32_t>(std::atol(argv[5])), std::atof(argv[6]));
  }
}
