// The worker of the driver "ice": ZeroC Ice 3.7, C++11 mapping. Its broker is
// icebox, which the driver starts.
#include "events.hpp"
#include "rpc.hpp"

int main(int argc, char** argv) {
  return versus::run("ice",
                     {
                         {"server", [] { return std::make_unique<TargetServer>(); }},
                         {"client", [] { return std::make_unique<TargetClient>(); }},
                         {"subscriber", [] { return std::make_unique<EventSubscriber>(); }},
                         {"publisher", [] { return std::make_unique<EventPublisher>(); }},
                     },
                     argc, argv);
}
