// In place of server.cpp where libevent was missing.
#include "serve/http/server.hpp"

namespace nvmlkit::serve::http {

sim::Expected<std::unique_ptr<Server>> Server::open(const std::string&, std::uint16_t, const Limits&,
                                                    std::shared_ptr<const tls::Identity>) {
  return sim::fail({.kind = sim::ProblemKind::impossible,
                    .what = "this nvmlkit was built without libevent, so it serves no page",
                    .hint = "build it with libevent-dev installed"});
}

}  // namespace nvmlkit::serve::http
