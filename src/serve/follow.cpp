#include "serve/follow.hpp"

#include <time.h>

#include <atomic>
#include <thread>
#include <utility>

#include "sim/state/follow.hpp"

namespace nvmlkit::serve {
namespace {

// Wakes the server after each change of the machine, at most fifty times a second. A machine that may only be read
// wakes nobody: the server looks at it at each interval.
class ChangeWatch {
 public:
  ChangeWatch(const sim::Machine& machine, http::Server& server) : machine_(machine) {
    if (machine.access() == sim::Access::read_only) return;
    thread_ = std::thread([this, &server] { watch(server); });
  }
  ~ChangeWatch() {
    if (!thread_.joinable()) return;
    ended_ = true;
    sim::state::wake_followers(machine_);
    thread_.join();
  }
  ChangeWatch(const ChangeWatch&) = delete;
  ChangeWatch& operator=(const ChangeWatch&) = delete;

 private:
  void watch(http::Server& server) {
    constexpr auto kShortest = std::chrono::milliseconds(20);
    auto seen = sim::state::count_changes(machine_);
    while (!ended_) {
      timespec deadline{};
      clock_gettime(CLOCK_MONOTONIC, &deadline);
      deadline.tv_sec += 1;
      sim::state::wait_for_change(machine_, seen, &deadline);
      const auto now = sim::state::count_changes(machine_);
      if (now == seen || ended_) continue;
      seen = now;
      server.wake();
      std::this_thread::sleep_for(kShortest);
    }
  }

  const sim::Machine& machine_;
  std::atomic<bool> ended_ = false;
  std::thread thread_;
};

}  // namespace

bool serve_machine(http::Server& server, const sim::Machine& machine, ServeOptions options) {
  api::Service service(machine, std::move(options.guard), std::move(options.metrics), std::move(options.recordings));
  const auto broadcast = [&](std::string_view text) { server.broadcast(text); };
  bool signalled = true;
  const auto look = [&] {
    service.changed(broadcast, server.streams() > 0);
    server.set_alarm(service.next());
  };
  http::Callbacks callbacks;
  callbacks.answer = [&](const http::Request& request) {
    auto response = service.answer(request);
    server.set_alarm(service.next());
    return response;
  };
  callbacks.tick = [&] {
    if (!options.is_up()) {
      signalled = false;
      server.stop();
      return;
    }
    service.tick(broadcast, server.streams() > 0);
    server.set_alarm(service.next());
  };
  callbacks.woken = look;
  callbacks.alarm = look;
  const ChangeWatch watch(machine, server);
  server.run(std::move(callbacks), options.interval);
  return signalled;
}

}  // namespace nvmlkit::serve
