// In place of the other files where OpenSSL was missing.
#include "serve/tls/identity.hpp"

namespace nvmlkit::serve::tls {
namespace {

sim::Problem no_tls() {
  return {.kind = sim::ProblemKind::impossible,
          .what = "this nvmlkit was built without OpenSSL, so it speaks no TLS",
          .hint = "build it with libevent-dev and libssl-dev installed"};
}

}  // namespace

sim::Expected<std::shared_ptr<const Identity>> Identity::of_files(const Files&) { return sim::fail(no_tls()); }

sim::Expected<std::shared_ptr<const Identity>> Identity::self_signed(const std::vector<std::string>&, const Files&) {
  return sim::fail(no_tls());
}

}  // namespace nvmlkit::serve::tls
