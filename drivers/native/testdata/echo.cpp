// A worker over raw TCP, to test the kit with: echo for rpc, and for pubsub
// frames from a publisher that listens to subscribers that connect.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <list>

#include "versus.hpp"

using namespace versus;

namespace {

[[noreturn]] void fail(const std::string& what) { throw Failure(connection_failure, what + ": " + std::strerror(errno)); }

// Socket owns a descriptor.
class Socket {
 public:
  explicit Socket(int fd) : fd_(fd) {
    if (fd < 0) fail("socket");
    const int yes = 1;
    setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  }
  ~Socket() { close(fd_); }
  Socket(const Socket&) = delete;
  int fd() const { return fd_; }
  void shut() const { shutdown(fd_, SHUT_RDWR); }

  // read returns false at the end of the stream.
  bool read(void* to, size_t n) const {
    for (auto p = static_cast<char*>(to); n > 0;) {
      const ssize_t got = recv(fd_, p, n, 0);
      if (got == 0) return false;
      if (got < 0) fail("receive");
      p += got, n -= static_cast<size_t>(got);
    }
    return true;
  }
  void write(const void* from, size_t n) const {
    for (auto p = static_cast<const char*>(from); n > 0;) {
      const ssize_t put = send(fd_, p, n, MSG_NOSIGNAL);
      if (put < 0) fail("send");
      p += put, n -= static_cast<size_t>(put);
    }
  }

 private:
  int fd_;
};

sockaddr_in loopback(int port) {
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_port = htons(static_cast<uint16_t>(port));
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return a;
}

std::unique_ptr<Socket> connect_to(const Setup& s, const std::string& role) {
  const std::string address = s.peers.at(role).at("address");
  auto socket = std::make_unique<Socket>(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in a = loopback(std::stoi(address.substr(address.rfind(':') + 1)));
  if (connect(socket->fd(), reinterpret_cast<sockaddr*>(&a), sizeof a) != 0) fail("connect to " + address);
  return socket;
}

// Echo answers what comes, or swallows it: a thread a connection.
class Echo : public Server {
 public:
  Ready open(const Setup& s, const std::atomic<bool>&) override {
    echoes_ = s.workload.pattern == "rpc";
    listener_ = std::make_unique<Socket>(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in a = loopback(0);
    socklen_t size = sizeof a;
    if (bind(listener_->fd(), reinterpret_cast<sockaddr*>(&a), size) != 0 || listen(listener_->fd(), 100) != 0) fail("listen");
    getsockname(listener_->fd(), reinterpret_cast<sockaddr*>(&a), &size);
    return {{{"address", "127.0.0.1:" + std::to_string(ntohs(a.sin_port))}}, {{"transport", "TCP"}}};
  }
  void run(const std::atomic<bool>& stopped) override {
    while (!stopped) {
      const int fd = accept(listener_->fd(), nullptr, nullptr);
      if (fd < 0) break;
      auto& c = connections_.emplace_back(std::make_unique<Socket>(fd));
      threads_.emplace_back([this, &c] { serve(*c); });
    }
    for (auto& c : connections_) c->shut();
    for (auto& t : threads_) t.join();
  }
  void close() override {
    if (listener_) listener_->shut();
  }

 private:
  void serve(const Socket& c) const {
    char buffer[1 << 16];
    for (ssize_t n; (n = recv(c.fd(), buffer, sizeof buffer, 0)) > 0;) {
      if (echoes_) c.write(buffer, static_cast<size_t>(n));
    }
  }
  bool echoes_ = true;
  std::unique_ptr<Socket> listener_;
  std::list<std::unique_ptr<Socket>> connections_;
  std::list<std::thread> threads_;
};

class EchoCaller : public Caller {
 public:
  EchoCaller(const Setup& s, std::string content) : socket_(connect_to(s, "server")), out_(std::move(content)), in_(out_) {}
  void call() override {
    socket_->write(out_.data(), out_.size());
    if (!socket_->read(in_.data(), in_.size())) throw Failure(connection_failure, "the server has closed the connection");
    if (in_ != out_) throw Failure(answer_failure, "another answer");
  }

 private:
  std::unique_ptr<Socket> socket_;
  std::string out_, in_;
};

class EchoClient : public Client {
 public:
  Ready open(const Setup& s, const std::atomic<bool>&) override {
    setup_ = s;
    return {{}, {{"transport", "TCP"}}};
  }
  std::unique_ptr<Caller> caller(int) override { return std::make_unique<EchoCaller>(setup_, setup_.workload.payload.content()); }

 private:
  Setup setup_;
};

// TcpSubscriber listens for the publisher.
class TcpSubscriber : public Subscriber {
 public:
  Ready open(const Setup& s, const std::atomic<bool>&) override {
    size_ = s.workload.payload.content().size();
    listener_ = std::make_unique<Socket>(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in a = loopback(0);
    socklen_t size = sizeof a;
    if (bind(listener_->fd(), reinterpret_cast<sockaddr*>(&a), size) != 0 || listen(listener_->fd(), 1) != 0) fail("listen");
    getsockname(listener_->fd(), reinterpret_cast<sockaddr*>(&a), &size);
    return {{{"address", "127.0.0.1:" + std::to_string(ntohs(a.sin_port))}}, {}};
  }
  void run(const std::atomic<bool>& stopped) override {
    const int fd = accept(listener_->fd(), nullptr, nullptr);
    if (fd < 0) return;
    const Socket c(fd);
    std::string message(size_, 0);
    pollfd p{c.fd(), POLLIN, 0};
    while (!stopped) {
      if (poll(&p, 1, 50) == 0) continue;
      if (!c.read(message.data(), message.size())) return;
      Stamp s;
      receive(read_stamp(message.data(), message.size(), s) ? s.topic : 0, message.data(), message.size());
    }
  }
  void close() override {
    if (listener_) listener_->shut();
  }

 private:
  size_t size_ = 0;
  std::unique_ptr<Socket> listener_;
};

class TcpPublisher : public Publisher {
 public:
  Ready open(const Setup& s, const std::atomic<bool>&) override {
    socket_ = connect_to(s, "subscriber");
    chunk_.resize(s.workload.payload.content().size());
    return {};
  }
  void publish(int, const void* message, size_t size) override {
    std::lock_guard<std::mutex> lock(mutex_);
    socket_->write(message, size);
  }
  void* loan(int, size_t) override { return chunk_.data(); }
  void publish_loan(int topic, void* chunk, size_t size) override { publish(topic, chunk, size); }

 private:
  std::mutex mutex_;
  std::unique_ptr<Socket> socket_;
  std::string chunk_;
};

}  // namespace

int main(int argc, char** argv) {
  return versus::run("echo",
                     {
                         {"server", [] { return std::make_unique<Echo>(); }},
                         {"client", [] { return std::make_unique<EchoClient>(); }},
                         {"subscriber", [] { return std::make_unique<TcpSubscriber>(); }},
                         {"publisher", [] { return std::make_unique<TcpPublisher>(); }},
                     },
                     argc, argv);
}
