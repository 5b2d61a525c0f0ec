// The shared memory of a run, where it has any.
#pragma once

#include "options.hpp"
#include "versus.hpp"
#include "versus/dds/memory.hpp"

namespace dds_worker {

// Sharing is a role that shares memory with others, if the transport does.
template <class Role>
class Sharing : public Role {
 public:
  void enter(const versus::Setup& s) override {
    if (Options::read(s.workload).shares_memory()) memory_.enter(s.peers);
  }

 protected:
  versus::dds::Memory memory_;
};

}  // namespace dds_worker
