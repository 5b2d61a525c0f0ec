// The options of the backend and the names that follow from them.
#pragma once

#include <rmw/types.h>

#include <cstdint>
#include <string>

#include "versus.hpp"

namespace ros2_worker {

struct Options {
  std::string discovery;  // localhost, subnet
  bool reliable = true, keep_all = false, transient_local = false;
  int depth = 10;
  int domain = -1;            // -1 is one that nobody uses
  double match_timeout = 8;  // seconds

  static Options read(const versus::Workload& w) {
    const versus::Json &o = w.options, &qos = o["qos"];
    Options r;
    r.discovery = o["discovery"].text("localhost");
    r.domain = static_cast<int>(o["domain"].integer(-1));
    r.match_timeout = o["match_timeout"].number(8);
    r.reliable = qos["reliability"].text("reliable") == "reliable";
    r.keep_all = qos["history"].text("keep_last") == "keep_all";
    r.transient_local = qos["durability"].text("volatile") == "transient_local";
    r.depth = static_cast<int>(qos["depth"].integer(10));
    return r;
  }

  // apply changes a profile of ROS 2, the default of topics or of services.
  void apply(rmw_qos_profile_t& p) const {
    p.reliability = reliable ? RMW_QOS_POLICY_RELIABILITY_RELIABLE : RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT;
    p.durability = transient_local ? RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL : RMW_QOS_POLICY_DURABILITY_VOLATILE;
    p.history = keep_all ? RMW_QOS_POLICY_HISTORY_KEEP_ALL : RMW_QOS_POLICY_HISTORY_KEEP_LAST;
    p.depth = static_cast<size_t>(depth);
  }

  bool subnet() const { return discovery == "subnet"; }

  static std::string topic(int i) { return "/versus/topic_" + std::to_string(i); }
  static constexpr const char* service = "/versus/echo";
};

// describe tells the profile that the middleware really uses.
inline std::string describe(const rmw_qos_profile_t* p) {
  if (!p) return "unknown";
  return std::string(p->reliability == RMW_QOS_POLICY_RELIABILITY_RELIABLE ? "reliable" : "best effort") + ", " +
         (p->history == RMW_QOS_POLICY_HISTORY_KEEP_ALL ? "keep all" : "keep last " + std::to_string(p->depth)) + ", " +
         (p->durability == RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL ? "transient local" : "volatile");
}

}  // namespace ros2_worker
