#include "evented/listen.hpp"

#include <arpa/inet.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <system_error>

namespace nvmlkit::evented {
namespace {

constexpr timeval kPauseAfterError{0, 200'000};

std::uint16_t port_of_socket(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&address)->sin6_port
                                             : reinterpret_cast<sockaddr_in*>(&address)->sin_port);
}

// Every try to accept fails at once where no descriptor is free.
void pause(evconnlistener* listener, void*) {
  evconnlistener_disable(listener);
  event_base_once(
      evconnlistener_get_base(listener), -1, EV_TIMEOUT,
      [](evutil_socket_t, short, void* paused) { evconnlistener_enable(static_cast<evconnlistener*>(paused)); },
      listener, &kPauseAfterError);
}

}  // namespace

void limit_clients(evhttp* http, const ClientLimits& limits) {
  evhttp_set_timeout(http, limits.idle_seconds);
  evhttp_set_max_headers_size(http, static_cast<ev_ssize_t>(limits.header_bytes));
  evhttp_set_max_body_size(http, static_cast<ev_ssize_t>(limits.body_bytes));
  evhttp_set_allowed_methods(http, limits.methods);
}

sim::Expected<std::uint16_t> listen(evhttp* http, const std::string& address, std::uint16_t port) {
  errno = 0;
  auto* const bound = evhttp_bind_socket_with_handle(http, address.c_str(), port);
  if (bound == nullptr)
    return sim::fail(sim::impossible(in_url(address, port) + " cannot be served: " +
                                     std::generic_category().message(errno == 0 ? EADDRNOTAVAIL : errno)));
  evconnlistener_set_error_cb(evhttp_bound_socket_get_listener(bound), pause);
  const int socket = evhttp_bound_socket_get_fd(bound);
  // Connections inherit it. Without it a response in two parts waits 40 ms for the client's acknowledgement.
  const int yes = 1;
  (void)setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  return port_of_socket(socket);
}

std::string in_url(const std::string& address, std::uint16_t port) {
  const bool six = address.find(':') != std::string::npos;
  return (six ? "[" + address + "]" : address) + ":" + std::to_string(port);
}

sim::Problem out_of_memory() { return {.kind = sim::ProblemKind::out_of_memory, .what = "no memory for a server"}; }

}  // namespace nvmlkit::evented
