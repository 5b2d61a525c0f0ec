// Publisher and subscriber of std_msgs/msg/UInt8MultiArray.
#pragma once

#include <rcl/event.h>
#include <std_msgs/msg/u_int8_multi_array.h>

#include <algorithm>
#include <deque>
#include <optional>

#include "node.hpp"

namespace ros2_worker {

using Message = std_msgs__msg__UInt8MultiArray;

inline const rosidl_message_type_support_t* message_type() { return ROSIDL_GET_MSG_TYPE_SUPPORT(std_msgs, msg, UInt8MultiArray); }
constexpr const char* message_name = "std_msgs/msg/UInt8MultiArray";

class Publisher : public Sharing<versus::Publisher> {
 public:
  versus::Ready open(const versus::Setup& s, const std::atomic<bool>& stopped) override {
    const Options o = Options::read(s.workload);
    const auto network = guest_.find("", s, o.subnet());
    guest_.claim(o.domain < 0);
    node_.open("publisher", o, network, guest_.far());
    rcl_publisher_options_t settings = rcl_publisher_get_default_options();
    o.apply(settings.qos);
    for (int i = 0; i < s.workload.topics; i++) {
      publishers_.push_back(rcl_get_zero_initialized_publisher());
      expect(rcl_publisher_init(&publishers_.back(), &node_.node, message_type(), Options::topic(i).c_str(), &settings), "rcl_publisher_init");
    }
    expect(rcl_publisher_event_init(&refused_, &publishers_[0], RCL_PUBLISHER_OFFERED_INCOMPATIBLE_QOS), "rcl_publisher_event_init");
    guest_.meet(o.match_timeout, [this] { return matched(); }, [this] { return mismatch(); }, stopped);
    versus::Ready r = node_.report(rcl_publisher_get_actual_qos(&publishers_[0]));
    r.effective["topics"] = Options::topic(0);
    r.effective["types"] = message_name;
    return r;
  }

  void publish(int topic, const void* message, size_t size) override {
    guest_.check();
    Message m{};  // that owns nothing: it is serialized before rcl_publish returns
    m.data.data = static_cast<uint8_t*>(const_cast<void*>(message));
    m.data.size = m.data.capacity = size;
    expect(rcl_publish(&publishers_[static_cast<size_t>(topic)], &m, nullptr), "rcl_publish");
  }

  ~Publisher() override {
    (void)!rcl_event_fini(&refused_);
    for (auto& p : publishers_) (void)!rcl_publisher_fini(&p, &node_.node);
  }

 private:
  bool matched() const {
    return std::all_of(publishers_.begin(), publishers_.end(), [](const rcl_publisher_t& p) {
      size_t n = 0;
      expect(rcl_publisher_get_subscription_count(&p, &n), "rcl_publisher_get_subscription_count");
      return n > 0;
    });
  }

  std::string mismatch() const {
    rmw_qos_incompatible_event_status_t s{};
    if (!took(rcl_take_event(&refused_, &s), RCL_RET_EVENT_TAKE_FAILED, "rcl_take_event") || s.total_count == 0) return "";
    return s.last_policy_kind == RMW_QOS_POLICY_RELIABILITY ? "the subscriber asks for more reliability than the publisher offers"
                                                            : "the QoS of subscriber and publisher don't fit";
  }

  Node node_;
  versus::dds::Guest guest_;
  std::deque<rcl_publisher_t> publishers_;
  rcl_event_t refused_ = rcl_get_zero_initialized_event();
};

class Subscriber : public Sharing<versus::Subscriber> {
 public:
  versus::Ready open(const versus::Setup& s, const std::atomic<bool>&) override {
    const Options o = Options::read(s.workload);
    node_.open("subscriber", o, host_->claim("", o.domain, s, o.subnet()));
    rcl_subscription_options_t settings = rcl_subscription_get_default_options();
    o.apply(settings.qos);
    for (int i = 0; i < s.workload.topics; i++) {
      subscriptions_.push_back(rcl_get_zero_initialized_subscription());
      expect(rcl_subscription_init(&subscriptions_.back(), &node_.node, message_type(), Options::topic(i).c_str(), &settings), "rcl_subscription_init");
    }
    waiter_.open(node_, subscriptions_.size(), 0, 0);
    if (!std_msgs__msg__UInt8MultiArray__init(&message_)) throw std::bad_alloc();
    host_->welcome([this] { return matched(); });
    versus::Ready r = node_.report(rcl_subscription_get_actual_qos(&subscriptions_[0]));
    host_->report(r);
    r.effective["topics"] = Options::topic(0);
    r.effective["types"] = message_name;
    memory_.report(r);
    return r;
  }

  void run(const std::atomic<bool>& stopped) override {
    auto add = [this](rcl_wait_set_t* set) {
      for (const auto& s : subscriptions_) expect(rcl_wait_set_add_subscription(set, &s, nullptr), "rcl_wait_set_add_subscription");
    };
    auto ready = [this](const rcl_wait_set_t& set) {
      for (size_t i = 0; i < subscriptions_.size(); i++) {
        if (!set.subscriptions[i]) continue;
        if (!took(rcl_take(&subscriptions_[i], &message_, nullptr, nullptr), RCL_RET_SUBSCRIPTION_TAKE_FAILED, "rcl_take")) continue;
        receive(static_cast<int>(i), message_.data.data, message_.data.size);
      }
    };
    while (!stopped) waiter_.wait(add, ready);
  }

  ~Subscriber() override {
    host_.reset();  // first: it watches the others
    std_msgs__msg__UInt8MultiArray__fini(&message_);
    for (auto& s : subscriptions_) (void)!rcl_subscription_fini(&s, &node_.node);
  }

 private:
  bool matched() const {
    return std::all_of(subscriptions_.begin(), subscriptions_.end(), [](const rcl_subscription_t& s) {
      size_t n = 0;
      return rcl_subscription_get_publisher_count(&s, &n) == RCL_RET_OK && n > 0;
    });
  }

  Node node_;
  Waiter waiter_;
  std::deque<rcl_subscription_t> subscriptions_;
  Message message_{};
  std::optional<versus::dds::Host> host_{std::in_place};
};

}  // namespace ros2_worker
