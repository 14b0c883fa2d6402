// An HTTP server that listens: what its clients may send, and where.
#pragma once

#include <event2/http.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "sim/problem/problem.hpp"

namespace nvmlkit::evented {

struct ClientLimits {
  int idle_seconds = 10;  // of a client that neither sends nor reads
  std::size_t header_bytes = 16 << 10;
  std::size_t body_bytes = 0;
  std::uint16_t methods = EVHTTP_REQ_GET | EVHTTP_REQ_HEAD;
};

void limit_clients(evhttp* http, const ClientLimits& limits);

// Listens, and returns the port: port 0 becomes a free one. A server without free descriptors waits for connections to
// end.
sim::Expected<std::uint16_t> listen(evhttp* http, const std::string& address, std::uint16_t port);

// The address in an URL: an IPv6 address is in brackets.
std::string in_url(const std::string& address, std::uint16_t port);

sim::Problem out_of_memory();

}  // namespace nvmlkit::evented
