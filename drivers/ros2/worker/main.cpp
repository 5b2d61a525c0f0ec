#include "pubsub.hpp"
#include "service.hpp"

int main(int argc, char** argv) {
  using namespace ros2_worker;
  return versus::run("ros2",
                     {{"publisher", [] { return std::make_unique<Publisher>(); }},
                      {"subscriber", [] { return std::make_unique<Subscriber>(); }},
                      {"server", [] { return std::make_unique<Server>(); }},
                      {"client", [] { return std::make_unique<Client>(); }}},
                     argc, argv);
}
