#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "pubsub.hpp"
#include "service.hpp"

// The role is played by a child. The tracing that ROS 2 loads (lttng) has threads
// before main; a process with threads may have no user namespace, and so no shared
// memory of its own. A child has one thread.
int main(int argc, char** argv) {
  using namespace ros2_worker;
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) return 1;
  if (child > 0) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) return 1;  // it ended before
  return versus::run("ros2",
                     {{"publisher", [] { return std::make_unique<Publisher>(); }},
                      {"subscriber", [] { return std::make_unique<Subscriber>(); }},
                      {"server", [] { return std::make_unique<Server>(); }},
                      {"client", [] { return std::make_unique<Client>(); }}},
                     argc, argv);
}
