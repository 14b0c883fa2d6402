// An HTTP server in one thread, by libevent: requests, streams, a tick, an alarm. Nothing else runs beside its
// callbacks.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "serve/http/message.hpp"
#include "serve/tls/identity.hpp"
#include "sim/problem/problem.hpp"

namespace nvmlkit::serve::http {

// What a client may ask for.
struct Limits {
  std::size_t body_bytes = 1 << 20;
  std::size_t header_bytes = 16 << 10;
  std::size_t streams = 64;
  std::size_t unread_bytes = 4 << 20;  // of a stream whose client does not read; then it ends
  int idle_seconds = 10;               // of a client that neither sends nor reads
};

struct Callbacks {
  std::function<Response(const Request&)> answer;
  std::function<void()> tick;   // at each interval
  std::function<void()> woken;  // some time after wake()
  std::function<void()> alarm;  // at the time of set_alarm()
};

class Server {
 public:
  // Port 0 becomes a free one. Without an identity the server speaks plain HTTP. A problem: the address cannot be had,
  // or the command was built without libevent.
  static sim::Expected<std::unique_ptr<Server>> open(const std::string& address, std::uint16_t port,
                                                     const Limits& limits,
                                                     std::shared_ptr<const tls::Identity> identity);
  virtual ~Server() = default;

  virtual std::uint16_t port() const = 0;
  // Until stop(), or SIGINT or SIGTERM; one that came since open() ends it at once.
  virtual void run(Callbacks callbacks, std::chrono::milliseconds interval) = 0;
  virtual void stop() = 0;
  // From any thread.
  virtual void wake() = 0;
  // Replaces the alarm that was set before.
  virtual void set_alarm(std::optional<std::chrono::milliseconds> after) = 0;
  // Writes to every stream.
  virtual void broadcast(std::string_view text) = 0;
  virtual std::size_t streams() const = 0;

 protected:
  Server() = default;
};

}  // namespace nvmlkit::serve::http
