// Publish/subscribe through IceStorm, which runs in the broker's process: one
// topic of IceStorm for each of the workload's.
#pragma once

#include <Bench.h>
#include <IceStorm/IceStorm.h>

#include "runtime.hpp"

// topic returns topic number i, and creates it unless another role has.
inline std::shared_ptr<IceStorm::TopicPrx> topic(const Runtime& ice, const versus::Setup& s, int i) {
  auto manager = Ice::checkedCast<IceStorm::TopicManagerPrx>(ice->stringToProxy(s.peers.at("broker").at("manager")));
  const std::string name = "topic" + std::to_string(i);
  try {
    return manager->create(name);
  } catch (const IceStorm::TopicExists&) {
    return manager->retrieve(name);
  }
}

class ListenerServant : public Bench::Listener {
 public:
  ListenerServant(const versus::Receive& receive, int topic) : receive_(receive), topic_(topic) {}
  void event(std::pair<const Ice::Byte*, const Ice::Byte*> message, const Ice::Current&) override {
    own_.assign(message.first, message.second);
    receive_(topic_, own_.data(), own_.size());
  }

 private:
  const versus::Receive& receive_;
  int topic_;
  std::vector<Ice::Byte> own_;
};

class EventSubscriber : public versus::Subscriber {
 public:
  versus::Ready open(const versus::Setup& s, const std::atomic<bool>&) override {
    // One thread, so that events come one at a time and in order.
    ice_.start(s, {{"Ice.ThreadPool.Server.Size", "1"}, {"Ice.ThreadPool.Server.SizeMax", "1"}});
    return guard([&] {
      const bool buffered = s.workload.options["buffered"].boolean();
      auto adapter = ice_.listen();
      for (int i = 0; i < s.workload.topics; i++) {
        auto proxy = adapter->addWithUUID(std::make_shared<ListenerServant>(receive, i));
        topic(ice_, s, i)->subscribeAndGetPublisher({}, buffered ? proxy->ice_batchOneway() : proxy->ice_oneway());
      }
      adapter->activate();
      auto effective = ice_.effective(s.workload);
      effective["delivery"] = buffered ? "batch oneway" : "oneway";
      return versus::Ready{{}, effective};
    });
  }
  void close() override { ice_.stop(); }

 private:
  Runtime ice_;
};

class EventPublisher : public versus::Publisher {
 public:
  versus::Ready open(const versus::Setup& s, const std::atomic<bool>&) override {
    ice_.start(s);
    return guard([&] {
      for (int i = 0; i < s.workload.topics; i++) {
        auto publisher = topic(ice_, s, i)->getPublisher();
        publisher->ice_ping();  // connects
        topics_.push_back(Ice::uncheckedCast<Bench::ListenerPrx>(publisher));
      }
      auto effective = ice_.effective(s.workload);
      effective["publishing"] = "twoway";
      return versus::Ready{{}, effective};
    });
  }
  void publish(int topic, const void* message, size_t size) override {
    auto begin = static_cast<const Ice::Byte*>(message);
    guard([&] { topics_[static_cast<size_t>(topic)]->event({begin, begin + size}); });
  }
  void close() override { ice_.stop(); }

 private:
  Runtime ice_;
  std::vector<std::shared_ptr<Bench::ListenerPrx>> topics_;
};
