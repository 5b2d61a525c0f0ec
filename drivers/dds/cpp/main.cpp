// One worker for each vendor, from the same file: see Flags in workers.go.
#ifdef VERSUS_FASTDDS
#include "fastdds.hpp"
#else
#include "cyclonedds.hpp"
#endif

int main(int argc, char** argv) {
  const int status = versus::run(dds_worker::name, dds_worker::roles(), argc, argv);
  // Without destructors of static objects: that of iceoryx would wait for a
  // daemon that may have ended.
  _exit(status);
}
