// The roles with Fast DDS.
#pragma once

#include <fastdds/dds/core/LoanableSequence.hpp>
#include <fastdds/dds/core/condition/WaitSet.hpp>
#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/publisher/qos/DataWriterQos.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/subscriber/qos/DataReaderQos.hpp>
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>
#include <fastdds/rtps/transport/shared_mem/SharedMemTransportDescriptor.h>
#include <fastrtps/config.h>
#include <fastrtps/utils/IPLocator.h>

#include <memory>
#include <string>
#include <vector>

#include "cdr.hpp"
#include "options.hpp"
#include "private.hpp"
#include "versus.hpp"
#include "versus/dds/meeting.hpp"
#include "versus/dds/service.hpp"

namespace dds_worker {

using namespace versus::dds;

namespace fast = eprosima::fastdds::dds;
namespace rtps = eprosima::fastrtps::rtps;
using ReturnCode = eprosima::fastrtps::types::ReturnCode_t;

inline void expect(ReturnCode r, const char* what) {
  if (r == ReturnCode::RETCODE_OK) return;
  if (r == ReturnCode::RETCODE_TIMEOUT) throw versus::Failure(versus::deadline_failure, std::string(what) + ": timeout");
  throw std::runtime_error(std::string(what) + ": Fast DDS return code " + std::to_string(r()));
}

template <class T>
T* need(T* entity, const char* what) {
  if (!entity) throw std::runtime_error(std::string("Fast DDS makes no ") + what + " with these settings; its own words are on standard error");
  return entity;
}

// Link is a participant in the domain of the run, with its topics.
class Link {
 public:
  Options options;
  Network network;

  void open(const Options& o, const Network& n, int topics) {
    options = o;
    network = n;
    if (o.shares_memory()) Memory::need(memory() * topics);
    fast::DomainParticipantQos q;
    if (o.ros2()) {
      const std::string enclave = "enclave=/;";  // as rmw has it
      q.user_data().data_vec({enclave.begin(), enclave.end()});
    }
    q.transport().use_builtin_transports = false;
    if (o.transport == "shm") {
      // Alone: what can't go through shared memory goes nowhere.
      auto shm = std::make_shared<eprosima::fastdds::rtps::SharedMemTransportDescriptor>();
      shm->segment_size(static_cast<uint32_t>(memory() * topics));
      shm->max_message_size(static_cast<uint32_t>(std::max<int64_t>(o.size + 1024, 65'500)));
      shm->port_queue_capacity(1024);
      q.transport().user_transports.push_back(shm);
    } else {
      udp(q);
    }
    participant_ = need(factory().create_participant(static_cast<uint32_t>(n.domain), q), "participant");
  }

  fast::Topic* topic(const std::string& name, const Shape& shape) {
    fast::TypeSupport type(new BytesType(shape));
    expect(type.register_type(participant_), "type");
    return need(participant_->create_topic(name, shape.type, fast::TOPIC_QOS_DEFAULT), "topic");
  }
  fast::Topic* message(int i) {
    return topic(options.topic(i), {options.message_type(), options.array(), options.ros2() && !options.array() ? 8u : 0u, static_cast<size_t>(options.size)});
  }
  fast::Topic* service(const std::string& name, const std::string& type) { return topic(name, {type, false, 0, static_cast<size_t>(options.size)}); }

  fast::DataWriter* writer(fast::Topic* topic) {
    fast::DataWriterQos q;
    common(q);
    q.reliability().max_blocking_time = {10, 0};
    q.publish_mode().kind = fast::SYNCHRONOUS_PUBLISH_MODE;
    q.resource_limits().extra_samples = 4;  // that are lent
    return need(need(participant_->create_publisher(fast::PUBLISHER_QOS_DEFAULT), "publisher")->create_datawriter(topic, q), "writer");
  }
  fast::DataReader* reader(fast::Topic* topic) {
    fast::DataReaderQos q;
    common(q);
    return need(need(participant_->create_subscriber(fast::SUBSCRIBER_QOS_DEFAULT), "subscriber")->create_datareader(topic, q), "reader");
  }

  void report(versus::Ready& r) const {
    r.effective = options.effective(network.domain);
    if (options.transport != "shm") network.report(r.effective);
    r.effective["fastdds"] = FASTRTPS_VERSION_STR;
    r.effective["transport"] = options.transport == "shm"            ? "shared memory only"
                               : options.transport == "data_sharing" ? "data sharing; discovery by UDP on " + network.name()
                                                                     : "UDP on " + network.name();
  }

  static bool matched(fast::DataWriter* writer, fast::DataReader* reader) {
    fast::PublicationMatchedStatus p;
    fast::SubscriptionMatchedStatus s;
    return (!writer || (writer->get_publication_matched_status(p) == ReturnCode::RETCODE_OK && p.current_count > 0)) &&
           (!reader || (reader->get_subscription_matched_status(s) == ReturnCode::RETCODE_OK && s.current_count > 0));
  }

  // mismatch says which QoS keeps a writer from its readers.
  static std::string mismatch(fast::DataWriter* writer) {
    fast::OfferedIncompatibleQosStatus s;
    if (writer->get_offered_incompatible_qos_status(s) != ReturnCode::RETCODE_OK || s.total_count == 0) return "";
    return s.last_policy_id == fast::RELIABILITY_QOS_POLICY_ID  ? "the reader asks for more reliability than the writer offers"
           : s.last_policy_id == fast::DURABILITY_QOS_POLICY_ID ? "the reader asks for more durability than the writer offers"
                                                                : "the QoS of reader and writer don't fit";
  }

  ~Link() {
    if (!participant_) return;
    participant_->delete_contained_entities();
    factory().delete_participant(participant_);
  }

 private:
  static fast::DomainParticipantFactory& factory() { return *fast::DomainParticipantFactory::get_instance(); }

  // samples is how many messages an endpoint keeps.
  int samples() const { return options.keep_all ? 1000 : options.depth; }

  // memory returns how much shared memory a topic needs, bytes.
  double memory() const { return static_cast<double>(options.size + 1024) * (2.0 * samples() + 16) + (1 << 20); }

  // udp has the participant use the address of this host only. Without multicast
  // the passive side is at a port that it has told, and the active one asks there.
  void udp(fast::DomainParticipantQos& q) const {
    auto udp = std::make_shared<eprosima::fastdds::rtps::UDPv4TransportDescriptor>();
    udp->interfaceWhiteList.push_back(network.address);
    udp->sendBufferSize = 2 << 20;
    udp->receiveBufferSize = 4 << 20;
    q.transport().user_transports.push_back(udp);
    if (network.multicast()) return;
    auto& builtin = q.wire_protocol().builtin;
    // 0 is the port of the first index that is free.
    const uint16_t port = network.index < 0 ? uint16_t{0} : discovery_port(network.domain, network.index);
    builtin.metatrafficUnicastLocatorList.push_back(locator({network.address, port}));
    if (!network.peer.empty()) builtin.initialPeersList.push_back(locator(Endpoint::read(network.peer)));
  }

  static rtps::Locator_t locator(const Endpoint& e) {
    rtps::Locator_t l;
    l.kind = LOCATOR_KIND_UDPv4;
    l.port = e.port;
    rtps::IPLocator::setIPv4(l, e.address);
    return l;
  }

  template <class Qos>
  void common(Qos& q) {
    const Options& o = options;
    q.reliability().kind = o.reliable ? fast::RELIABLE_RELIABILITY_QOS : fast::BEST_EFFORT_RELIABILITY_QOS;
    q.durability().kind = o.transient_local ? fast::TRANSIENT_LOCAL_DURABILITY_QOS : fast::VOLATILE_DURABILITY_QOS;
    q.history().kind = o.keep_all ? fast::KEEP_ALL_HISTORY_QOS : fast::KEEP_LAST_HISTORY_QOS;
    if (!o.keep_all) q.history().depth = o.depth;
    q.resource_limits().max_samples = samples();
    q.resource_limits().max_instances = 1;
    q.resource_limits().max_samples_per_instance = samples();
    q.resource_limits().allocated_samples = std::min(samples(), 10);
    if (o.transport == "data_sharing") {
      q.data_sharing().on("/dev/shm");  // an endpoint that can't is not made
    } else {
      q.data_sharing().off();
    }
    q.endpoint().history_memory_policy = o.array() ? rtps::PREALLOCATED_MEMORY_MODE : rtps::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
  }

  fast::DomainParticipant* participant_ = nullptr;
};

// Waiter waits for data on readers.
class Waiter {
 public:
  void add(fast::DataReader* reader) {
    auto& c = reader->get_statuscondition();
    c.set_enabled_statuses(fast::StatusMask::data_available());
    expect(set_.attach_condition(c), "waitset");
    conditions_.push_back(&c);
  }
  // wait calls f with the number of each reader that has data, for 50 ms at most.
  template <class F>
  void wait(F f) {
    const auto r = set_.wait(active_, eprosima::fastrtps::Duration_t(0, 50'000'000));
    if (r == ReturnCode::RETCODE_TIMEOUT) return;
    expect(r, "waitset");
    for (fast::Condition* c : active_) {
      for (size_t i = 0; i < conditions_.size(); i++) {
        if (conditions_[i] == c) f(static_cast<int>(i));
      }
    }
  }

 private:
  fast::WaitSet set_;
  fast::ConditionSeq active_;
  std::vector<fast::Condition*> conditions_;
};

class FastPublisher : public Sharing<versus::Publisher> {
 public:
  versus::Ready open(const versus::Setup& s, const std::atomic<bool>& stopped) override {
    const Options o = Options::read(s.workload);
    link_.open(o, guest_.find(o.interface, s), s.workload.topics);
    for (int i = 0; i < s.workload.topics; i++) writers_.push_back(link_.writer(link_.message(i)));
    auto matched = [this] {
      for (auto* w : writers_) {
        if (!Link::matched(w, nullptr)) return false;
      }
      return true;
    };
    guest_.meet(o.match_timeout, matched, [this] { return Link::mismatch(writers_[0]); }, stopped);
    versus::Ready r;
    link_.report(r);
    return r;
  }

  void publish(int topic, const void* message, size_t size) override {
    guest_.check();
    Bytes b{static_cast<const uint8_t*>(message), size, {}};
    written(writers_[topic]->write(&b));
  }
  void* loan(int topic, size_t) override {
    guest_.check();
    void* chunk = nullptr;
    expect(writers_[topic]->loan_sample(chunk, fast::DataWriter::LoanInitializationKind::NO_LOAN_INITIALIZATION), "loan");
    return chunk;
  }
  void publish_loan(int topic, void* chunk, size_t) override {
    const bool ok = writers_[topic]->write(chunk);
    if (!ok) writers_[topic]->discard_loan(chunk);
    written(ok);
  }

 private:
  static void written(bool ok) {
    if (!ok) throw versus::Failure("write", "Fast DDS could not write a message: its history is full, or the message does not fit");
  }

  Link link_;
  Guest guest_;
  std::vector<fast::DataWriter*> writers_;
};

class FastSubscriber : public Sharing<versus::Subscriber> {
 public:
  versus::Ready open(const versus::Setup& s, const std::atomic<bool>&) override {
    const Options o = Options::read(s.workload);
    link_.open(o, host_.claim(o.interface, o.domain, s), s.workload.topics);
    for (int i = 0; i < s.workload.topics; i++) {
      readers_.push_back(link_.reader(link_.message(i)));
      waiter_.add(readers_.back());
    }
    message_.own.resize(static_cast<size_t>(o.size));
    host_.welcome([this] {
      for (auto* r : readers_) {
        if (!Link::matched(nullptr, r)) return false;
      }
      return true;
    });
    versus::Ready r;
    host_.report(r);
    link_.report(r);
    if (o.shares_memory()) memory_.report(r);
    return r;
  }

  void run(const std::atomic<bool>& stopped) override {
    while (!stopped) {
      waiter_.wait([this](int topic) { link_.options.loan ? lend(topic) : copy(topic); });
    }
  }

 private:
  void copy(int topic) {
    fast::SampleInfo info;
    while (readers_[topic]->take_next_sample(&message_, &info) == ReturnCode::RETCODE_OK) {
      if (info.valid_data) receive(topic, message_.data, message_.size);
    }
  }

  // lend hands over messages where they lie. With data sharing the writer may
  // have used the place anew in the meantime: such a message is lost.
  void lend(int topic) {
    fast::DataReader* reader = readers_[topic];
    fast::LoanableSequence<uint64_t> samples;  // of what type doesn't matter
    fast::SampleInfoSeq infos;
    while (reader->take(samples, infos, 16) == ReturnCode::RETCODE_OK) {
      for (int i = 0; i < samples.length(); i++) {
        const void* sample = samples.buffer()[i];
        if (!infos[i].valid_data) continue;
        uint8_t stamp[sizeof(versus::Stamp)];
        std::memcpy(stamp, sample, sizeof stamp);
        if (reader->is_sample_valid(sample, &infos[i])) receive(topic, sample, static_cast<size_t>(link_.options.size));
      }
      expect(reader->return_loan(samples, infos), "return loan");
    }
  }

  Host host_;
  Waiter waiter_;
  Link link_;  // ends before what watches its readers
  std::vector<fast::DataReader*> readers_;
  Bytes message_;
};

class FastServer : public Sharing<versus::Server> {
 public:
  versus::Ready open(const versus::Setup& s, const std::atomic<bool>&) override {
    const Options o = Options::read(s.workload);
    link_.open(o, host_.claim(o.interface, o.domain, s), 2);
    auto* request = link_.service(o.request_topic(), o.request_type());
    auto* reply = link_.service(o.reply_topic(), o.reply_type());
    writer_ = link_.writer(reply);
    reader_ = link_.reader(request);
    waiter_.add(reader_);
    host_.welcome([this] { return Link::matched(writer_, reader_); });
    versus::Ready r;
    host_.report(r);
    link_.report(r);
    if (o.shares_memory()) memory_.report(r);
    return r;
  }

  void run(const std::atomic<bool>& stopped) override {
    Bytes message;
    fast::SampleInfo info;
    while (!stopped) {
      waiter_.wait([&](int) {
        while (reader_->take_next_sample(&message, &info) == ReturnCode::RETCODE_OK) {
          if (!info.valid_data) continue;
          // As rmw_fastrtps has it: to the reader that the request names.
          rtps::WriteParams p;
          rtps::SampleIdentity id = info.sample_identity;
          if (info.related_sample_identity.writer_guid() != rtps::GUID_t::unknown()) id.writer_guid(info.related_sample_identity.writer_guid());
          p.related_sample_identity(id);
          if (!writer_->write(&message, p)) throw std::runtime_error("Fast DDS could not write a reply");
        }
      });
    }
  }

 private:
  Host host_;
  Waiter waiter_;
  Link link_;
  fast::DataWriter* writer_ = nullptr;
  fast::DataReader* reader_ = nullptr;
};

class FastClient : public Sharing<ServiceClient> {
 public:
  versus::Ready open(const versus::Setup& s, const std::atomic<bool>& stopped) override {
    const Options o = Options::read(s.workload);
    payload_ = s.workload.payload.content();
    link_.open(o, guest_.find(o.interface, s), 2);
    auto* request = link_.service(o.request_topic(), o.request_type());
    auto* reply = link_.service(o.reply_topic(), o.reply_type());
    writer_ = link_.writer(request);
    reader_ = link_.reader(reply);
    waiter_.add(reader_);
    guest_.meet(o.match_timeout, [this] { return Link::matched(writer_, reader_); },
                [this] { return Link::mismatch(writer_); }, stopped);
    versus::Ready r;
    link_.report(r);
    return r;
  }

 protected:
  int64_t request(const std::string& payload) override {
    Bytes b{reinterpret_cast<const uint8_t*>(payload.data()), payload.size(), {}};
    rtps::WriteParams p;
    p.related_sample_identity().writer_guid(reader_->guid());
    if (!writer_->write(&b, p)) throw versus::Failure("write", "Fast DDS could not write a request");
    return static_cast<int64_t>(p.sample_identity().sequence_number().to64long());
  }

  void replies() override {
    fast::SampleInfo info;
    waiter_.wait([&](int) {
      while (reader_->take_next_sample(&reply_, &info) == ReturnCode::RETCODE_OK) {
        const auto& id = info.related_sample_identity;
        if (info.valid_data && id.writer_guid() == reader_->guid()) answer(static_cast<int64_t>(id.sequence_number().to64long()), reply_.size);
      }
    });
  }

 private:
  Waiter waiter_;
  Link link_;
  fast::DataWriter* writer_ = nullptr;
  fast::DataReader* reader_ = nullptr;
  Bytes reply_;
};

inline versus::Roles roles() {
  return {{"publisher", [] { return std::make_unique<FastPublisher>(); }},
          {"subscriber", [] { return std::make_unique<FastSubscriber>(); }},
          {"server", [] { return std::make_unique<FastServer>(); }},
          {"client", [] { return std::make_unique<FastClient>(); }}};
}
constexpr const char* name = "dds-fastdds";

}  // namespace dds_worker
