// The kit for workers in C++17: a backend includes this, derives a class for
// each role that it plays from Server, Client, Publisher, Subscriber or Logger
// (versus/roles.hpp), and its main is
//
//   int main(int argc, char** argv) {
//     return versus::run("ice", {
//       {"server", [] { return std::make_unique<MyServer>(); }},
//       {"client", [] { return std::make_unique<MyClient>(); }},
//     }, argc, argv);
//   }
//
// The kit has the conversation with the interpreter, the load, pacing,
// recording, CPU and memory. It does as the Go kit (drivers/worker) does, and is
// tested against it. It needs Linux and zlib.
#pragma once

#include "versus/main.hpp"
