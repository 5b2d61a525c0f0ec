// Server and client of the service versus_msgs/srv/Echo, whose type support is
// made by the generator of the installation (generate.py).
#pragma once

#include <rcl/graph.h>
#include <versus_msgs/srv/echo.h>

#include <optional>

#include "node.hpp"
#include "versus/dds/service.hpp"
#include "versus_msgs/srv/detail/echo__rosidl_typesupport_fastrtps_c.h"

namespace ros2_worker {

using Request = versus_msgs__srv__Echo_Request;
using Response = versus_msgs__srv__Echo_Response;

inline const rosidl_service_type_support_t* service_type() {
  return ROSIDL_TYPESUPPORT_INTERFACE__SERVICE_SYMBOL_NAME(rosidl_typesupport_fastrtps_c, versus_msgs, srv, Echo)();
}

inline versus::Ready report_service(const Node& n, const rmw_qos_profile_t* qos) {
  versus::Ready r = n.report(qos);
  r.effective["service"] = Options::service;
  r.effective["types"] = "versus_msgs/srv/Echo: uint8[] data, both ways";
  return r;
}

class Server : public Sharing<versus::Server> {
 public:
  versus::Ready open(const versus::Setup& s, const std::atomic<bool>&) override {
    const Options o = Options::read(s.workload);
    node_.open("server", o, host_->claim("", o.domain, s, o.subnet()));
    rcl_service_options_t settings = rcl_service_get_default_options();
    o.apply(settings.qos);
    expect(rcl_service_init(&service_, &node_.node, service_type(), Options::service, &settings), "rcl_service_init");
    waiter_.open(node_, 0, 0, 1);
    if (!versus_msgs__srv__Echo_Request__init(&request_)) throw std::bad_alloc();
    host_->welcome([this] {
      size_t n = 0;
      return rcl_count_clients(&node_.node, Options::service, &n) == RCL_RET_OK && n > 0;
    });
    versus::Ready r = report_service(node_, rcl_service_response_publisher_get_actual_qos(&service_));
    host_->report(r);
    memory_.report(r);
    return r;
  }

  void run(const std::atomic<bool>& stopped) override {
    auto add = [this](rcl_wait_set_t* set) { expect(rcl_wait_set_add_service(set, &service_, nullptr), "rcl_wait_set_add_service"); };
    auto ready = [this](const rcl_wait_set_t& set) {
      rmw_request_id_t id{};
      if (!set.services[0] || !took(rcl_take_request(&service_, &id, &request_), RCL_RET_SERVICE_TAKE_FAILED, "rcl_take_request")) return;
      Response response{};  // that owns nothing: it has the bytes of the request
      response.data = request_.data;
      expect(rcl_send_response(&service_, &id, &response), "rcl_send_response");
    };
    while (!stopped) waiter_.wait(add, ready);
  }

  ~Server() override {
    host_.reset();  // first: it watches the others
    versus_msgs__srv__Echo_Request__fini(&request_);
    (void)!rcl_service_fini(&service_, &node_.node);
  }

 private:
  Node node_;
  Waiter waiter_;
  rcl_service_t service_ = rcl_get_zero_initialized_service();
  Request request_{};
  std::optional<versus::dds::Host> host_{std::in_place};
};

class Client : public Sharing<versus::dds::ServiceClient> {
 public:
  versus::Ready open(const versus::Setup& s, const std::atomic<bool>& stopped) override {
    const Options o = Options::read(s.workload);
    payload_ = s.workload.payload.content();
    const auto network = guest_.find("", s, o.subnet());
    guest_.claim(o.domain < 0);
    node_.open("client", o, network, guest_.far());
    rcl_client_options_t settings = rcl_client_get_default_options();
    o.apply(settings.qos);
    expect(rcl_client_init(&client_, &node_.node, service_type(), Options::service, &settings), "rcl_client_init");
    waiter_.open(node_, 0, 1, 0);
    if (!versus_msgs__srv__Echo_Response__init(&response_)) throw std::bad_alloc();
    auto matched = [this] {
      bool there = false;
      expect(rcl_service_server_is_available(&node_.node, &client_, &there), "rcl_service_server_is_available");
      return there;
    };
    guest_.meet(o.match_timeout, matched, [] { return std::string(); }, stopped);
    return report_service(node_, rcl_client_request_publisher_get_actual_qos(&client_));
  }

  ~Client() override {
    versus_msgs__srv__Echo_Response__fini(&response_);
    (void)!rcl_client_fini(&client_, &node_.node);
  }

 protected:
  int64_t request(const std::string& payload) override {
    Request r{};  // that owns nothing: it is serialized before rcl_send_request returns
    r.data.data = reinterpret_cast<uint8_t*>(const_cast<char*>(payload.data()));
    r.data.size = r.data.capacity = payload.size();
    int64_t number = 0;
    expect(rcl_send_request(&client_, &r, &number), "rcl_send_request");
    return number;
  }

  void replies() override {
    auto add = [this](rcl_wait_set_t* set) { expect(rcl_wait_set_add_client(set, &client_, nullptr), "rcl_wait_set_add_client"); };
    waiter_.wait(add, [this](const rcl_wait_set_t& set) {
      rmw_request_id_t id{};
      if (!set.clients[0] || !took(rcl_take_response(&client_, &id, &response_), RCL_RET_CLIENT_TAKE_FAILED, "rcl_take_response")) return;
      answer(id.sequence_number, response_.data.size);
    });
  }

 private:
  Node node_;
  Waiter waiter_;
  rcl_client_t client_ = rcl_get_zero_initialized_client();
  Response response_{};
};

}  // namespace ros2_worker
