// Serves a text by HTTP at /metrics. A thread sleeps until a client comes; at rest it never wakes up.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "sim/problem/problem.hpp"

namespace nvmlkit::metrics {

// ADDRESS:PORT, as 127.0.0.1:9411, [::1]:9411 or 0.0.0.0:9411; PORT alone means the loopback address.
struct Endpoint {
  std::string address;
  std::uint16_t port = 0;
};
sim::Expected<Endpoint> parse_endpoint(const std::string& text);

class Server {
 public:
  // The function is called in the server's thread; an empty text means that there are no metrics now. A problem: the
  // address cannot be had, or the command was built without libevent.
  static sim::Expected<std::unique_ptr<Server>> start(const Endpoint& endpoint, std::function<std::string()> metrics);
  virtual ~Server() = default;

  // Where it listens: http://127.0.0.1:9411/metrics. Port 0 became a free one.
  virtual std::string url() const = 0;

 protected:
  Server() = default;
};

}  // namespace nvmlkit::metrics
