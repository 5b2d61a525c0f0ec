// A server and a client of Ice as one writes them by hand, to measure the worker
// against: "server" prints its proxy; "client PROXY SECONDS" prints calls per second.
#include <Bench.h>
#include <Ice/Ice.h>

#include <chrono>
#include <iostream>

struct Target : Bench::Target {
  void ping(const Ice::Current&) override {}
  void putBytes(Bench::Bytes, const Ice::Current&) override {}
  void putLines(Bench::Lines, const Ice::Current&) override {}
  void putItems(Bench::Items, const Ice::Current&) override {}
};

int main(int argc, char** argv) {
  Ice::CommunicatorHolder ice(argc, argv);
  if (std::string(argv[1]) == "server") {
    auto adapter = ice->createObjectAdapterWithEndpoints("pair", "tcp -h 127.0.0.1");
    auto proxy = adapter->addWithUUID(std::make_shared<Target>());
    adapter->activate();
    std::cout << proxy->ice_toString() << std::endl;
    std::cin.get();
    return 0;
  }
  auto target = Ice::checkedCast<Bench::TargetPrx>(ice->stringToProxy(argv[2]));
  target->ping();
  const auto begin = std::chrono::steady_clock::now();
  long n = 0;
  std::chrono::duration<double> took{};
  for (const double limit = std::stod(argv[3]); took.count() < limit; n++) {
    target->ping();
    took = std::chrono::steady_clock::now() - begin;
  }
  std::cout << static_cast<double>(n) / took.count() << std::endl;
}
