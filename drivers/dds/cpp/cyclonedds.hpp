// The roles with Cyclone DDS.
#pragma once

#include <dds/dds.h>
#include <dds/ddsc/dds_loan_api.h>
#include <dds/version.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "options.hpp"
#include "private.hpp"
#include "types.h"
#include "versus.hpp"
#include "versus/dds/meeting.hpp"
#include "versus/dds/service.hpp"

namespace dds_worker {

using namespace versus::dds;

// expect returns what a function of Cyclone DDS returned, unless it failed.
inline dds_return_t expect(dds_return_t r, const char* what) {
  if (r == DDS_RETCODE_TIMEOUT) throw versus::Failure(versus::deadline_failure, std::string(what) + ": timeout");
  if (r < 0) throw std::runtime_error(std::string(what) + ": " + dds_strretcode(r));
  return r;
}

// Message is one message in the form that Cyclone DDS serializes. It doesn't own
// what it points to.
class Message {
 public:
  explicit Message(const Options& o) : options_(o) {}

  const void* of(const void* data, size_t size) {
    if (options_.array()) return data;
    dds_sequence_octet& s = options_.ros2() ? ros_.data : plain_.data;
    s._buffer = static_cast<uint8_t*>(const_cast<void*>(data));
    s._length = s._maximum = static_cast<uint32_t>(size);
    return options_.ros2() ? static_cast<const void*>(&ros_) : &plain_;
  }

  // read returns the bytes of a sample that was taken.
  static std::pair<const void*, size_t> read(const Options& o, const void* sample) {
    if (o.array()) return {sample, static_cast<size_t>(o.size)};
    const dds_sequence_octet& s = o.ros2() ? static_cast<const std_msgs_msg_dds__UInt8MultiArray_*>(sample)->data
                                           : static_cast<const versus_types_Bytes*>(sample)->data;
    return {s._buffer, s._length};
  }

  static const dds_topic_descriptor_t& shape(const Options& o) {
    return o.ros2() ? std_msgs_msg_dds__UInt8MultiArray__desc : versus_types_Bytes_desc;
  }

 private:
  Options options_;
  std_msgs_msg_dds__UInt8MultiArray_ ros_{};
  versus_types_Bytes plain_{};
};

// Link is a participant in the domain of the run, with its topics.
class Link {
 public:
  Options options;
  Network network;
  dds_entity_t participant = 0;

  void open(const Options& o, const Network& n) {
    options = o;
    network = n;
    const auto domain = static_cast<dds_domainid_t>(n.domain);
    domain_ = expect(dds_create_domain(domain, configuration().c_str()), "domain");
    dds_qos_t* q = dds_create_qos();
    const std::string enclave = "enclave=/;";  // as rmw has it
    if (o.ros2()) dds_qset_userdata(q, enclave.data(), enclave.size());
    const dds_entity_t p = dds_create_participant(domain, q, nullptr);
    dds_delete_qos(q);
    participant = expect(p, "participant");
  }

  dds_entity_t topic(const std::string& name, const std::string& type, const dds_topic_descriptor_t& shape) {
    dds_topic_descriptor_t d = shape;
    d.m_typename = type.c_str();
    return expect(dds_create_topic(participant, &d, name.c_str(), nullptr, nullptr), name.c_str());
  }

  // message is the topic number i of a pubsub test.
  dds_entity_t message(int i) {
    if (options.array()) return topic(options.topic(i), options.message_type(), array());
    return topic(options.topic(i), options.message_type(), Message::shape(options));
  }

  dds_entity_t writer(dds_entity_t topic, const std::string& data = "") {
    return endpoint(dds_create_writer, topic, data, "writer");
  }
  dds_entity_t reader(dds_entity_t topic, const std::string& data = "") {
    return endpoint(dds_create_reader, topic, data, "reader");
  }

  // transport tells which way messages of an endpoint go, with a flag if that
  // is not the one that was asked for.
  void transport(dds_entity_t endpoint, versus::Ready& r) const {
    const bool shm = dds_is_shared_memory_available(endpoint);
    r.effective["transport"] = shm ? "shared memory, iceoryx" : "UDP on " + network.name();
    if (options.transport == "shm" && !shm) {
      r.flags.push_back("fallback: UDP instead of shared memory, which Cyclone DDS does not use with this QoS (" + options.qos() + ")");
    }
    r.effective["cyclonedds"] = DDS_VERSION;
    network.report(r.effective);
  }

  void close() {
    if (domain_ > 0) dds_delete(domain_);
    domain_ = 0;
  }

  static bool matched(dds_entity_t writer, dds_entity_t reader) {
    dds_publication_matched_status_t p{};
    dds_subscription_matched_status_t s{};
    return (writer == 0 || (dds_get_publication_matched_status(writer, &p) == 0 && p.current_count > 0)) &&
           (reader == 0 || (dds_get_subscription_matched_status(reader, &s) == 0 && s.current_count > 0));
  }

  // mismatch says which QoS keeps a writer from its readers.
  static std::string mismatch(dds_entity_t writer) {
    dds_offered_incompatible_qos_status_t s{};
    if (dds_get_offered_incompatible_qos_status(writer, &s) != 0 || s.total_count == 0) return "";
    return s.last_policy_id == DDS_RELIABILITY_QOS_POLICY_ID  ? "the reader asks for more reliability than the writer offers"
           : s.last_policy_id == DDS_DURABILITY_QOS_POLICY_ID ? "the reader asks for more durability than the writer offers"
                                                              : "the QoS of reader and writer don't fit";
  }

 private:
  // configuration has the domain at the address of this host only. On loopback
  // datagrams are larger than by default, because each costs two system calls.
  std::string configuration() const {
    std::string c = "<CycloneDDS><Domain Id=\"any\"><General><Interfaces><NetworkInterface address=\"" + network.address + "\"/></Interfaces>";
    if (network.loopback()) c += "<MaxMessageSize>65500B</MaxMessageSize><FragmentSize>65000B</FragmentSize>";
    if (network.multicast()) {
      c += "</General>";
    } else {
      c += "<AllowMulticast>false</AllowMulticast></General><Discovery><ParticipantIndex>" +
           (network.index >= 0 ? std::to_string(network.index) : "auto") + "</ParticipantIndex>";
      if (!network.peer.empty()) c += "<Peers><Peer Address=\"" + network.peer + "\"/></Peers>";
      c += "</Discovery>";
    }
    c += "<Internal><SocketReceiveBufferSize max=\"4MB\"/><SocketSendBufferSize max=\"2MB\"/></Internal>";
    if (options.transport == "shm") c += "<SharedMemory><Enable>true</Enable><LogLevel>error</LogLevel></SharedMemory>";
    return c + "</Domain></CycloneDDS>";
  }

  // array describes a struct with one octet[size].
  dds_topic_descriptor_t array() {
    array_ = {DDS_OP_ADR | DDS_OP_TYPE_ARR | DDS_OP_SUBTYPE_1BY, 0, static_cast<uint32_t>(options.size), DDS_OP_RTS};
    dds_topic_descriptor_t d{static_cast<uint32_t>(options.size), 1, DDS_TOPIC_FIXED_SIZE, 0, "", nullptr, 2, array_.data(), "", {}, {}, 0};
    return d;
  }

  template <class Create>
  dds_entity_t endpoint(Create create, dds_entity_t topic, const std::string& data, const char* what) {
    dds_qos_t* q = dds_create_qos();
    if (options.reliable) {
      dds_qset_reliability(q, DDS_RELIABILITY_RELIABLE, DDS_SECS(10));
    } else {
      dds_qset_reliability(q, DDS_RELIABILITY_BEST_EFFORT, 0);
    }
    dds_qset_history(q, options.keep_all ? DDS_HISTORY_KEEP_ALL : DDS_HISTORY_KEEP_LAST, options.keep_all ? 0 : options.depth);
    dds_qset_durability(q, options.transient_local ? DDS_DURABILITY_TRANSIENT_LOCAL : DDS_DURABILITY_VOLATILE);
    dds_qset_writer_data_lifecycle(q, false);
    const dds_data_representation_id_t xcdr1[] = {DDS_DATA_REPRESENTATION_XCDR1};  // as ROS 2
    dds_qset_data_representation(q, 1, xcdr1);
    if (!data.empty()) dds_qset_userdata(q, data.data(), data.size());
    const dds_entity_t e = create(participant, topic, q, nullptr);
    dds_delete_qos(q);
    return expect(e, what);
  }

  dds_entity_t domain_ = 0;
  std::array<uint32_t, 4> array_{};
};

// Waiter waits for data on readers.
class Waiter {
 public:
  void open(dds_entity_t participant) { set_ = expect(dds_create_waitset(participant), "waitset"); }
  void add(dds_entity_t reader, int number) {
    const dds_entity_t c = expect(dds_create_readcondition(reader, DDS_ANY_STATE), "read condition");
    expect(dds_waitset_attach(set_, c, number), "waitset");
    ready_.resize(ready_.size() + 1);
  }
  // wait calls f with the number of each reader that has data, for 50 ms at most.
  template <class F>
  void wait(F f) {
    const dds_return_t n = dds_waitset_wait(set_, ready_.data(), ready_.size(), DDS_MSECS(50));
    for (dds_return_t i = 0; i < expect(n, "waitset"); i++) f(static_cast<int>(ready_[i]));
  }

 private:
  dds_entity_t set_ = 0;
  std::vector<dds_attach_t> ready_;
};

class CyclonePublisher : public Sharing<versus::Publisher> {
 public:
  versus::Ready open(const versus::Setup& s, const std::atomic<bool>& stopped) override {
    const Options o = Options::read(s.workload);
    link_.open(o, guest_.find(o.interface, s));
    for (int i = 0; i < s.workload.topics; i++) {
      writers_.push_back(link_.writer(link_.message(i)));
      messages_.emplace_back(o);
    }
    auto matched = [this] {
      for (dds_entity_t w : writers_) {
        if (!Link::matched(w, 0)) return false;
      }
      return true;
    };
    guest_.meet(o.match_timeout, matched, [this] { return Link::mismatch(writers_[0]); }, stopped);
    versus::Ready r;
    r.effective = o.effective(link_.network.domain);
    link_.transport(writers_[0], r);
    if (o.loan && !dds_is_loan_available(writers_[0])) throw std::runtime_error("Cyclone DDS lends no memory with this QoS (" + o.qos() + ")");
    return r;
  }

  void publish(int topic, const void* message, size_t size) override {
    guest_.check();
    expect(dds_write(writers_[topic], messages_[topic].of(message, size)), "write");
  }
  void* loan(int topic, size_t) override {
    guest_.check();
    void* chunk = nullptr;
    expect(dds_loan_sample(writers_[topic], &chunk), "loan");
    return chunk;
  }
  void publish_loan(int topic, void* chunk, size_t) override { expect(dds_write(writers_[topic], chunk), "write"); }

  void close() override { link_.close(); }

 private:
  Link link_;
  Guest guest_;
  std::vector<dds_entity_t> writers_;
  std::vector<Message> messages_;
};

class CycloneSubscriber : public Sharing<versus::Subscriber> {
 public:
  versus::Ready open(const versus::Setup& s, const std::atomic<bool>&) override {
    const Options o = Options::read(s.workload);
    link_.open(o, host_.claim(o.interface, o.domain, s));
    waiter_.open(link_.participant);
    for (int i = 0; i < s.workload.topics; i++) {
      readers_.push_back(link_.reader(link_.message(i)));
      waiter_.add(readers_[i], i);
    }
    // One large message at a time: room for more would be touched at once.
    most_ = o.size > 100'000 ? 1 : 16;
    own_.resize(static_cast<size_t>(most_));
    for (auto& m : own_) m.assign(std::max<size_t>(static_cast<size_t>(o.size), 256), 0);
    host_.welcome([this] {
      for (dds_entity_t r : readers_) {
        if (!Link::matched(0, r)) return false;
      }
      return true;
    });
    versus::Ready r;
    host_.report(r);
    r.effective = o.effective(link_.network.domain);
    link_.transport(readers_[0], r);
    return r;
  }

  void run(const std::atomic<bool>& stopped) override {
    while (!stopped) {
      waiter_.wait([this](int topic) {
        while (take(topic) == most_) {
        }
      });
    }
  }

  ~CycloneSubscriber() override {
    for (auto& m : own_) {
      if (!link_.options.array()) dds_sample_free(m.data(), &Message::shape(link_.options), DDS_FREE_CONTENTS);
    }
    link_.close();
  }

 private:
  // take hands over what has arrived on a topic, most_ messages at most.
  int take(int topic) {
    std::array<void*, 16> samples{};
    std::array<dds_sample_info_t, 16> infos;
    if (!link_.options.loan) {
      for (int i = 0; i < most_; i++) samples[static_cast<size_t>(i)] = own_[static_cast<size_t>(i)].data();
    }
    const int n = expect(dds_take(readers_[topic], samples.data(), infos.data(), static_cast<size_t>(most_), static_cast<uint32_t>(most_)), "take");
    for (int i = 0; i < n; i++) {
      if (!infos[static_cast<size_t>(i)].valid_data) continue;
      const auto [data, size] = Message::read(link_.options, samples[static_cast<size_t>(i)]);
      receive(topic, data, size);
    }
    if (link_.options.loan && n > 0) expect(dds_return_loan(readers_[topic], samples.data(), n), "return loan");
    return n;
  }

  Host host_;
  Link link_;
  Waiter waiter_;
  std::vector<dds_entity_t> readers_;
  std::vector<std::vector<uint8_t>> own_;  // samples of our own, for transfer = "copy"
  int most_ = 1;
};

// identity is how rmw_cyclonedds_cpp marks the endpoints of a service, in their
// user data.
inline std::string identity(const char* kind, dds_entity_t participant, unsigned n) {
  dds_guid_t g;
  expect(dds_get_guid(participant, &g), "guid");
  std::string text = std::string(kind) + "=";
  char part[8];
  for (int i = 0; i < 12; i++) {
    std::snprintf(part, sizeof part, i > 0 ? ".%x" : "%2x", g.v[i]);
    text += part;
  }
  for (int shift = 24; shift >= 0; shift -= 8) {
    std::snprintf(part, sizeof part, ".%x", n >> shift & 255);
    text += part;
  }
  return text + ";";
}

class CycloneServer : public Sharing<versus::Server> {
 public:
  versus::Ready open(const versus::Setup& s, const std::atomic<bool>&) override {
    const Options o = Options::read(s.workload);
    link_.open(o, host_.claim(o.interface, o.domain, s));
    const std::string id = o.ros2() ? identity("serviceid", link_.participant, 1) : "";
    const dds_entity_t request = link_.topic(o.request_topic(), o.request_type(), versus_types_Call_desc);
    const dds_entity_t reply = link_.topic(o.reply_topic(), o.reply_type(), versus_types_Call_desc);
    writer_ = link_.writer(reply, id);
    reader_ = link_.reader(request, id);
    waiter_.open(link_.participant);
    waiter_.add(reader_, 0);
    host_.welcome([this] { return Link::matched(writer_, reader_); });
    versus::Ready r;
    host_.report(r);
    r.effective = o.effective(link_.network.domain);
    link_.transport(writer_, r);
    return r;
  }

  void run(const std::atomic<bool>& stopped) override {
    versus_types_Call call{};
    void* sample = &call;
    dds_sample_info_t info;
    while (!stopped) {
      waiter_.wait([&](int) {
        while (expect(dds_take(reader_, &sample, &info, 1, 1), "take") == 1) {
          if (info.valid_data) expect(dds_write(writer_, &call), "write");  // the header goes back as it came
        }
      });
    }
    dds_sample_free(&call, &versus_types_Call_desc, DDS_FREE_CONTENTS);
  }

  ~CycloneServer() override { link_.close(); }

 private:
  Host host_;
  Link link_;
  Waiter waiter_;
  dds_entity_t writer_ = 0, reader_ = 0;
};

class CycloneClient : public Sharing<ServiceClient> {
 public:
  versus::Ready open(const versus::Setup& s, const std::atomic<bool>& stopped) override {
    const Options o = Options::read(s.workload);
    payload_ = s.workload.payload.content();
    link_.open(o, guest_.find(o.interface, s));
    const std::string id = o.ros2() ? identity("clientid", link_.participant, 1) : "";
    const dds_entity_t request = link_.topic(o.request_topic(), o.request_type(), versus_types_Call_desc);
    const dds_entity_t reply = link_.topic(o.reply_topic(), o.reply_type(), versus_types_Call_desc);
    writer_ = link_.writer(request, id);
    reader_ = link_.reader(reply, id);
    waiter_.open(link_.participant);
    waiter_.add(reader_, 0);
    expect(dds_get_instance_handle(writer_, &handle_), "instance handle");
    guest_.meet(o.match_timeout, [this] { return Link::matched(writer_, reader_); },
                [this] { return Link::mismatch(writer_); }, stopped);
    versus::Ready r;
    r.effective = o.effective(link_.network.domain);
    link_.transport(writer_, r);
    return r;
  }

  ~CycloneClient() override {
    dds_sample_free(&reply_, &versus_types_Call_desc, DDS_FREE_CONTENTS);
    link_.close();
  }

 protected:
  int64_t request(const std::string& payload) override {
    versus_types_Call call{};
    call.client = handle_;
    call.number = ++number_;
    call.data._buffer = reinterpret_cast<uint8_t*>(const_cast<char*>(payload.data()));
    call.data._length = call.data._maximum = static_cast<uint32_t>(payload.size());
    expect(dds_write(writer_, &call), "write");
    return number_;
  }

  void replies() override {
    void* sample = &reply_;
    dds_sample_info_t info;
    waiter_.wait([&](int) {
      while (expect(dds_take(reader_, &sample, &info, 1, 1), "take") == 1) {
        if (info.valid_data && reply_.client == handle_) answer(reply_.number, reply_.data._length);
      }
    });
  }

 private:
  Link link_;
  Waiter waiter_;
  dds_entity_t writer_ = 0, reader_ = 0;
  dds_instance_handle_t handle_ = 0;
  int64_t number_ = 0;
  versus_types_Call reply_{};
};

inline versus::Roles roles() {
  return {{"publisher", [] { return std::make_unique<CyclonePublisher>(); }},
          {"subscriber", [] { return std::make_unique<CycloneSubscriber>(); }},
          {"server", [] { return std::make_unique<CycloneServer>(); }},
          {"client", [] { return std::make_unique<CycloneClient>(); }}};
}
constexpr const char* name = "dds-cyclonedds";

}  // namespace dds_worker
