// Publish/subscribe through the COS event service, which runs in the broker's
// process: TAO's, or omniEvents. One event channel for each topic.
#pragma once

#include "orb.hpp"

#ifdef USE_TAO
#include "orbsvcs/CosEvent/CEC_Default_Factory.h"
#include "orbsvcs/CosEvent/CEC_EventChannel.h"
#include "orbsvcs/CosEventChannelAdminC.h"
#include "orbsvcs/CosEventCommS.h"
#else
#define HAVE_OMNIORB4 1
#define HAVE_STD_STL 1
#define HAVE_STD_IOSTREAM 1
#define HAVE_IOSTREAM 1
#include <omniEvents/EventChannel.h>
#include <omniEvents/Orb.h>
#endif

// EventBroker has the channels.
class EventBroker : public versus::Server {
 public:
  versus::Ready open(const versus::Setup& s, const std::atomic<bool>&) override {
    const bool buffered = s.workload.options["buffered"].boolean();
    orb_.start(s, settings(buffered));
    return guard([&] {
      versus::Ready ready{{}, orb_.effective(true)};
      describe(ready.effective, buffered);
      for (int i = 0; i < s.workload.topics; i++) {
        CosEventChannelAdmin::EventChannel_var channel = create(i, buffered);
        CORBA::String_var reference = orb_.orb()->object_to_string(channel.in());
        ready.addresses["channel" + std::to_string(i)] = reference.in();
      }
      return ready;
    });
  }

#ifdef USE_TAO
  void run(const std::atomic<bool>&) override { orb_.serve(orb_.threads()); }
  void close() override { orb_.stop(); }

 private:
  // Events are passed on by the thread that took them, or by one of their own.
  static std::vector<std::string> settings(bool buffered) {
    TAO_CEC_Default_Factory::init_svcs();
    return {"-ORBSvcConfDirective", std::string("static CEC_Factory \"-CECDispatching ") + (buffered ? "mt" : "reactive") + "\""};
  }
  static void describe(versus::Addresses& effective, bool buffered) {
    effective["broker"] = "TAO CosEvent";
    effective["dispatching"] = buffered ? "mt" : "reactive";
  }
  CosEventChannelAdmin::EventChannel_ptr create(int, bool) const {
    TAO_CEC_EventChannel_Attributes attributes(orb_.poa(), orb_.poa());
    auto channel = new TAO_CEC_EventChannel(attributes);  // the ORB's
    channel->activate();
    return channel->_this();
  }
#else
  // omniEvents sends events as deferred requests, and takes the answers here.
  void run(const std::atomic<bool>&) override { OmniEvents::Orb::inst().run(); }
  void close() override { OmniEvents::Orb::inst().shutdown(0); }

 private:
  // omniEvents would look for a name service and say that there is none.
  static std::vector<std::string> settings(bool) {
    return {"-ORBInitRef", "NameService=corbaloc::127.0.0.1:1/NameService", "-ORBtraceLevel", "0"};
  }
  // omniEvents gathers events and passes them on in cycles, of 100 ms unless told
  // otherwise. It drops the oldest ones beyond 1,023 in a queue by default.
  static constexpr long unbuffered_cycle = 1'000, buffered_cycle = CYCLE_PERIOD_NS;  // ns
  static constexpr long queue = 1'000'000;
  static void describe(versus::Addresses& effective, bool buffered) {
    effective["broker"] = "omniEvents";
    effective["cycle"] = std::to_string((buffered ? buffered_cycle : unbuffered_cycle) / 1000) + " us";
    effective["queue"] = std::to_string(queue);
  }
  CosEventChannelAdmin::EventChannel_ptr create(int i, bool buffered) const {
    if (i == 0) {
      OmniEvents::Orb::inst()._orb = CORBA::ORB::_duplicate(orb_.orb());
      OmniEvents::Orb::inst().resolveInitialReferences();
    }
    auto channel = new OmniEvents::EventChannel_i;  // omniEvents's
    OmniEvents::PersistNode node;
    node.addattr("CyclePeriod_ns", buffered ? buffered_cycle : unbuffered_cycle);
    node.addattr("MaxQueueLength", queue);
    channel->activate(("topic" + std::to_string(i)).c_str(), &node);
    return channel->_this();
  }
#endif

  Runtime orb_;
};

// channel returns the channel of topic i; the caller frees it.
inline CosEventChannelAdmin::EventChannel_ptr channel(const Runtime& orb, const versus::Setup& s, int i) {
  CORBA::Object_var object = orb.find(s.peers.at("broker").at("channel" + std::to_string(i)));
  auto found = CosEventChannelAdmin::EventChannel::_narrow(object.in());
  if (CORBA::is_nil(found)) throw std::runtime_error("the broker's reference is to something else");
  return found;
}

class ConsumerServant : public POA_CosEventComm::PushConsumer {
 public:
  ConsumerServant(const versus::Receive& receive, int topic) : receive_(receive), topic_(topic) {}
  void push(const CORBA::Any& event) override {
    const CORBA::OctetSeq* message = nullptr;
    if (event >>= message) {
      receive_(topic_, message->get_buffer(), message->length());
    } else {
      receive_(topic_, nullptr, 0);  // counted as not ours
    }
  }
  void disconnect_push_consumer() override {}

 private:
  const versus::Receive& receive_;
  int topic_;
};

class EventSubscriber : public versus::Subscriber {
 public:
  versus::Ready open(const versus::Setup& s, const std::atomic<bool>&) override {
    orb_.start(s);
    return guard([&] {
      for (int i = 0; i < s.workload.topics; i++) {
        CORBA::Object_var reference = orb_.activate(new ConsumerServant(receive, i));
        CosEventComm::PushConsumer_var consumer = CosEventComm::PushConsumer::_narrow(reference.in());
        CosEventChannelAdmin::EventChannel_var from = channel(orb_, s, i);
        CosEventChannelAdmin::ConsumerAdmin_var admin = from->for_consumers();
        CosEventChannelAdmin::ProxyPushSupplier_var supplier = admin->obtain_push_supplier();
        supplier->connect_push_consumer(consumer.in());
      }
      return versus::Ready{{}, orb_.effective(false)};
    });
  }
  // One thread, so that events come in order.
  void run(const std::atomic<bool>&) override { orb_.serve(1); }
  void close() override { orb_.stop(); }

 private:
  Runtime orb_;
};

class EventPublisher : public versus::Publisher {
 public:
  versus::Ready open(const versus::Setup& s, const std::atomic<bool>&) override {
    orb_.start(s);
    return guard([&] {
      for (int i = 0; i < s.workload.topics; i++) {
        CosEventChannelAdmin::EventChannel_var to = channel(orb_, s, i);
        CosEventChannelAdmin::SupplierAdmin_var admin = to->for_suppliers();
        CosEventChannelAdmin::ProxyPushConsumer_var consumer = admin->obtain_push_consumer();
        consumer->connect_push_supplier(CosEventComm::PushSupplier::_nil());
        topics_.push_back(consumer);
      }
      return versus::Ready{{}, orb_.effective(false)};
    });
  }
  void publish(int topic, const void* message, size_t size) override {
    enroll();
    guard([&] {
      const auto n = static_cast<CORBA::ULong>(size);
      const CORBA::OctetSeq content(n, n, static_cast<CORBA::Octet*>(const_cast<void*>(message)), false);
      CORBA::Any event;
      event <<= content;
      topics_[static_cast<size_t>(topic)]->push(event);
    });
  }
  void close() override { orb_.stop(); }

 private:
  Runtime orb_;
  std::vector<CosEventChannelAdmin::ProxyPushConsumer_var> topics_;
};
