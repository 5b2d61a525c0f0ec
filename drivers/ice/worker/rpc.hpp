// Request/response: the server, and the client with every kind of call.
#pragma once

#include <Bench.h>

#include "runtime.hpp"

class TargetServant : public Bench::Target {
 public:
  void ping(const Ice::Current&) override {}
  void putBytes(Bench::Bytes, const Ice::Current&) override {}
  void putLines(Bench::Lines, const Ice::Current&) override {}
  void putItems(Bench::Items, const Ice::Current&) override {}
};

class TargetServer : public versus::Server {
 public:
  versus::Ready open(const versus::Setup& s, const std::atomic<bool>&) override {
    const std::string threads = std::to_string(s.workload.options["thread_pool"].integer(1));
    ice_.start(s, {{"Ice.ThreadPool.Server.Size", threads}, {"Ice.ThreadPool.Server.SizeMax", threads}});
    return guard([&] {
      auto adapter = ice_.listen();
      auto proxy = adapter->addWithUUID(std::make_shared<TargetServant>());
      adapter->activate();
      auto effective = ice_.effective(s.workload);
      effective["threads"] = threads;
      return versus::Ready{{{"proxy", proxy->ice_toString()}}, effective};
    });
  }
  void close() override { ice_.stop(); }

 private:
  Runtime ice_;
};

// After how many calls a batch is sent: as in the comparison of 2005.
constexpr int batch_size = 100;

// TargetCaller calls through a proxy of its kind, made beforehand with its payload.
class TargetCaller : public versus::Caller {
 public:
  TargetCaller(std::shared_ptr<Bench::TargetPrx> target, const versus::Workload& w) : target_(std::move(target)), answers_(true) {
    if (w.call == "oneway") {
      proxy_ = target_->ice_oneway();
      answers_ = false;
    } else if (w.call == "batch_oneway") {
      proxy_ = target_->ice_batchOneway();  // each proxy has a batch of its own
      answers_ = false;
      gathers_ = true;
    } else {
      proxy_ = target_;
    }
    invoke_ = invocation(w.payload, w.call == "async");
  }

  void call() override {
    guard([this] {
      if (lost_ > 0) fail();
      invoke_();
      if (gathers_ && ++gathered_ == batch_size) flush();
    });
  }

  // A twoway call returns after everything sent before it on the same connection
  // has been received.
  void finish() override {
    if (answers_) return;
    guard([this] {
      if (gathers_) flush();
      target_->ping();
    });
  }

 private:
  // flush sends the batch. If that fails, all calls in it are lost, of which only
  // the last one says so: as many of the next ones fail instead.
  void flush() {
    lost_ = std::exchange(gathered_, 0) - 1;
    proxy_->ice_flushBatchRequests();
    lost_ = 0;
  }
  void fail() {
    target_->ping();  // throws as long as the server is gone
    lost_--;
    throw versus::Failure(versus::connection_failure, "the call was in a batch that could not be sent");
  }

  std::function<void()> invocation(const versus::Payload& p, bool async) const {
    const auto proxy = proxy_;
    if (p.kind == "structs") {
      const auto texts = p.lines();
      Bench::Items items(static_cast<size_t>(p.count));
      for (size_t i = 0; i < items.size(); i++) items[i] = {texts[i % texts.size()], p.value};
      if (async) return [proxy, items] { proxy->putItemsAsync(items).get(); };
      return [proxy, items] { proxy->putItems(items); };
    }
    if (p.kind == "lines") {
      const Bench::Lines lines = p.lines();
      if (async) return [proxy, lines] { proxy->putLinesAsync(lines).get(); };
      return [proxy, lines] { proxy->putLines(lines); };
    }
    if (p.bytes == 0) {  // a call without an argument
      if (async) return [proxy] { proxy->pingAsync().get(); };
      return [proxy] { proxy->ping(); };
    }
    const std::string content = p.content();
    const Bench::Bytes bytes(content.begin(), content.end());
    if (async) return [proxy, bytes] { proxy->putBytesAsync(bytes).get(); };
    return [proxy, bytes] { proxy->putBytes(bytes); };
  }

  std::shared_ptr<Bench::TargetPrx> target_, proxy_;  // for twoway calls, and for those of this kind
  bool answers_, gathers_ = false;
  int gathered_ = 0, lost_ = 0;  // calls
  std::function<void()> invoke_;
};

class TargetClient : public versus::Client {
 public:
  versus::Ready open(const versus::Setup& s, const std::atomic<bool>&) override {
    workload_ = s.workload;
    ice_.start(s);
    return guard([&] {
      target_ = Ice::uncheckedCast<Bench::TargetPrx>(ice_->stringToProxy(s.peers.at("server").at("proxy")));
      target_->ping();  // connects
      auto effective = ice_.effective(workload_);
      effective["connections"] = "1";
      if (workload_.call == "batch_oneway") effective["batch"] = std::to_string(batch_size) + " calls";
      return versus::Ready{{}, effective};
    });
  }
  std::unique_ptr<versus::Caller> caller(int) override { return std::make_unique<TargetCaller>(target_, workload_); }
  void close() override { ice_.stop(); }

 private:
  Runtime ice_;
  versus::Workload workload_;
  std::shared_ptr<Bench::TargetPrx> target_;
};
