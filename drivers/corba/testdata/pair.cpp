// A server and a client on omniORB as one writes them by hand, to measure the
// worker against: "server" prints its reference; "client REFERENCE SECONDS" prints
// calls per second.
#include <chrono>
#include <iostream>

#include "Bench.hh"

struct Target : POA_Bench::Target {
  void ping() override {}
  void putBytes(const Bench::Bytes&) override {}
  void putLines(const Bench::Lines&) override {}
  void putItems(const Bench::Items&) override {}
  void sendPing() override {}
  void sendBytes(const Bench::Bytes&) override {}
  void sendLines(const Bench::Lines&) override {}
  void sendItems(const Bench::Items&) override {}
};

int main(int argc, char** argv) {
  CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
  if (std::string(argv[1]) == "server") {
    CORBA::Object_var root = orb->resolve_initial_references("RootPOA");
    PortableServer::POA_var poa = PortableServer::POA::_narrow(root);
    PortableServer::POAManager_var manager = poa->the_POAManager();
    manager->activate();
    PortableServer::ObjectId_var id = poa->activate_object(new Target);
    CORBA::Object_var reference = poa->id_to_reference(id);
    CORBA::String_var words = orb->object_to_string(reference);
    std::cout << words << std::endl;
    std::cin.get();
    return 0;
  }
  CORBA::Object_var object = orb->string_to_object(argv[2]);
  Bench::Target_var target = Bench::Target::_narrow(object);
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
