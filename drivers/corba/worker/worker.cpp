// The worker of the driver "corba": for TAO with USE_TAO, else for omniORB.
#include "events.hpp"
#include "rpc.hpp"

int main(int argc, char** argv) {
  const int status = versus::run("corba",
                                 {
                                     {"server", [] { return std::make_unique<TargetServer>(); }},
                                     {"client", [] { return std::make_unique<TargetClient>(); }},
                                     {"broker", [] { return std::make_unique<EventBroker>(); }},
                                     {"subscriber", [] { return std::make_unique<EventSubscriber>(); }},
                                     {"publisher", [] { return std::make_unique<EventPublisher>(); }},
                                 },
                                 argc, argv);
  _exit(status);  // threads of the ORB may still run, and use what destructors would free
}
