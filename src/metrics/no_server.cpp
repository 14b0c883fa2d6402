// In place of server.cpp where libevent was missing.
#include "metrics/server.hpp"

namespace nvmlkit::metrics {

sim::Expected<std::unique_ptr<Server>> Server::start(const Endpoint&, std::function<std::string()>) {
  return sim::fail({.kind = sim::ProblemKind::impossible,
                    .what = "this nvmlkit was built without libevent, so it serves no metrics",
                    .hint = "build it with libevent-dev installed"});
}

}  // namespace nvmlkit::metrics
