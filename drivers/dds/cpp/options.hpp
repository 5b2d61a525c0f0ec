// The options of the backend and the names that follow from them; both vendors
// share them.
#pragma once

#include <cstdint>
#include <string>

#include "versus.hpp"

namespace dds_worker {

struct Options {
  std::string convention;  // ros2, plain
  std::string type;        // sequence, array
  std::string transport;   // udp, shm, data_sharing
  std::string interface;   // of the network: eth0; empty is that of the host's address
  bool reliable = true, keep_all = false, transient_local = false;
  int depth = 10;
  int domain = -1;            // -1 is one that nobody uses
  double match_timeout = 10;  // seconds
  int64_t size = 0;           // bytes of the payload
  bool loan = false, rpc = false;

  static Options read(const versus::Workload& w) {
    const versus::Json &o = w.options, &qos = o["qos"];
    Options r;
    r.convention = o["convention"].text("ros2");
    r.type = o["type"].text("sequence");
    r.transport = o["transport"].text("udp");
    r.interface = o["interface"].text("");
    r.domain = static_cast<int>(o["domain"].integer(-1));
    r.match_timeout = o["match_timeout"].number(10);
    r.reliable = qos["reliability"].text("reliable") == "reliable";
    r.keep_all = qos["history"].text("keep_last") == "keep_all";
    r.depth = static_cast<int>(qos["depth"].integer(10));
    r.transient_local = qos["durability"].text("volatile") == "transient_local";
    r.rpc = w.pattern == "rpc";
    r.size = static_cast<int64_t>(w.payload.content().size());
    r.loan = !r.rpc && w.transfer == "loan";
    return r;
  }

  bool ros2() const { return convention == "ros2"; }
  bool array() const { return type == "array"; }
  bool shares_memory() const { return transport != "udp"; }

  // The names on the wire. Those of ROS 2 are what rmw makes of the topic
  // /versus/topic_0 and the service /versus/echo.
  std::string topic(int i) const { return (ros2() ? "rt/versus/topic_" : "versus_topic_") + std::to_string(i); }
  std::string request_topic() const { return ros2() ? "rq/versus/echoRequest" : "versus_request"; }
  std::string reply_topic() const { return ros2() ? "rr/versus/echoReply" : "versus_reply"; }
  std::string message_type() const {
    if (array()) return (ros2() ? "versus_msgs::msg::dds_::Bytes" + std::to_string(size) + "_" : "versus::Bytes" + std::to_string(size));
    return ros2() ? "std_msgs::msg::dds_::UInt8MultiArray_" : "versus::Bytes";
  }
  std::string request_type() const { return ros2() ? "versus_msgs::srv::dds_::Echo_Request_" : "versus::Request"; }
  std::string reply_type() const { return ros2() ? "versus_msgs::srv::dds_::Echo_Response_" : "versus::Reply"; }

  std::string qos() const {
    return std::string(reliable ? "reliable" : "best effort") + ", " +
           (keep_all ? "keep all" : "keep last " + std::to_string(depth)) + ", " + (transient_local ? "transient local" : "volatile");
  }

  // effective is what both vendors report of the settings in force.
  versus::Addresses effective(int domain) const {
    versus::Addresses e{{"convention", ros2() ? "ros2: its names, types and QoS on the wire; no executor" : "plain"},
                        {"domain", std::to_string(domain)},
                        {"qos", qos()}};
    if (rpc) {
      e["topics"] = request_topic() + ", " + reply_topic();
      e["types"] = request_type() + ", " + reply_type();
    } else {
      e["topics"] = topic(0);
      e["types"] = message_type();
      e["transfer"] = loan ? "loan" : "copy";
    }
    return e;
  }
};

}  // namespace dds_worker
