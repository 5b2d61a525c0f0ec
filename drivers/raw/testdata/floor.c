/* The least that request/response between two processes takes in C: one caller,
 * the echo of the payload, blocking calls. The peer of drivers tcp, unix and shm.
 *
 *   floor tcp|unix|futex|spin SIZE SECONDS    prints the calls per second
 */
#include <arpa/inet.h>
#include <linux/futex.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { most = 1 << 16, warm_up = 2000 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

static char buffer[most];
static int size;

/* Sockets */

static int fd;

static void read_all(void) {
  for (int got = 0; got < size;) {
    int n = read(fd, buffer + got, size - got);
    if (n <= 0) exit(0);
    got += n;
  }
}

static void write_all(void) {
  if (write(fd, buffer, size) != size) exit(0);
}

static void socket_call(void) { write_all(), read_all(); }
static void socket_serve(void) {
  for (;;) read_all(), write_all();
}

static pid_t socket_pair(int tcp) {
  int ends[2], one = 1;
  pid_t server;
  if (!tcp) {
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    if (!(server = fork())) prctl(PR_SET_PDEATHSIG, SIGKILL), fd = ends[1], socket_serve();
    fd = ends[0];
    return server;
  }
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t length = sizeof a;
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  bind(listener, (void *)&a, sizeof a);
  getsockname(listener, (void *)&a, &length);
  listen(listener, 1);
  if (!(server = fork())) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    fd = accept(listener, 0, 0);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    socket_serve();
  }
  fd = socket(AF_INET, SOCK_STREAM, 0);
  connect(fd, (void *)&a, sizeof a);
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return server;
}

/* Shared memory: a counter each way, and a slot */

static struct shared {
  _Atomic unsigned there;
  char pad1[60];
  _Atomic unsigned back;
  char pad2[60], request[most], answer[most];
} *shared;
static int futex;

static void set(_Atomic unsigned *word, unsigned value) {
  atomic_store(word, value);
  if (futex) syscall(SYS_futex, word, FUTEX_WAKE, 1, 0, 0, 0);
}

static void await(_Atomic unsigned *word, unsigned value) {
  while (atomic_load(word) != value) {
    if (futex) syscall(SYS_futex, word, FUTEX_WAIT, value - 1, 0, 0, 0);
#ifdef __x86_64__
    else __builtin_ia32_pause();
#endif
  }
}

static void shared_call(void) {
  static unsigned n;
  memcpy(shared->request, buffer, size);
  set(&shared->there, ++n);
  await(&shared->back, n);
  memcpy(buffer, shared->answer, size);
}

static pid_t shared_pair(void) {
  shared = mmap(0, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  pid_t server = fork();
  if (server) return server;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (unsigned n = 1;; n++) {
    await(&shared->there, n);
    memcpy(shared->answer, shared->request, size);
    set(&shared->back, n);
  }
}

int main(int argc, char **argv) {
  if (argc != 4 || (size = atoi(argv[2])) < 1 || size > most) return 2;
  int tcp = !strcmp(argv[1], "tcp"), sockets = tcp || !strcmp(argv[1], "unix");
  futex = !strcmp(argv[1], "futex");
  pid_t server = sockets ? socket_pair(tcp) : shared_pair();
  void (*call)(void) = sockets ? socket_call : shared_call;
  for (int i = 0; i < warm_up; i++) call();
  long calls = 0;
  double start = now(), t = start, end = start + atof(argv[3]);
  for (; t < end; t = now(), calls++) call(); /* one reading of the clock a call, as the driver has */
  printf("%.0f\n", calls / (t - start));
  kill(server, SIGKILL);
  waitpid(server, 0, 0);
  return 0;
}
