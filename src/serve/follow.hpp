// Serves a machine until a signal ends the server, or the machine is down.
#pragma once

#include <chrono>
#include <functional>

#include "serve/api/service.hpp"
#include "serve/http/server.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::serve {

struct ServeOptions {
  GuardSettings guard;
  api::MetricsSettings metrics;
  api::Recordings recordings;
  std::chrono::milliseconds interval{1000};
  std::function<bool()> is_up = [] { return true; };  // asked at each interval
};

// True where a signal ended it.
bool serve_machine(http::Server& server, const sim::Machine& machine, ServeOptions options);

}  // namespace nvmlkit::serve
