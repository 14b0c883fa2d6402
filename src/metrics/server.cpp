#include "metrics/server.hpp"

#include <arpa/inet.h>
#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <thread>
#include <utility>

namespace nvmlkit::metrics {
namespace {

constexpr int kTimeoutSeconds = 10;  // of a client that sends nothing
constexpr int kLargestHeaders = 16 << 10;
constexpr const char* kType = "text/plain; version=0.0.4; charset=utf-8";

template <auto Free>
struct Freed {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};
using Base = std::unique_ptr<event_base, Freed<event_base_free>>;
using Http = std::unique_ptr<evhttp, Freed<evhttp_free>>;
using Event = std::unique_ptr<event, Freed<event_free>>;

std::uint16_t port_of(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&address)->sin6_port
                                             : reinterpret_cast<sockaddr_in*>(&address)->sin_port);
}

class EventServer : public Server {
 public:
  explicit EventServer(std::function<std::string()> metrics)
      : metrics_(std::move(metrics)), stop_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), base_(event_base_new()) {}
  ~EventServer() override {
    if (thread_.joinable()) {
      (void)!eventfd_write(stop_, 1);
      thread_.join();
    }
    if (stop_ >= 0) close(stop_);
  }

  // What went wrong; 0: nothing.
  int listen(const Endpoint& endpoint) {
    if (stop_ < 0 || !base_) return ENOMEM;
    http_.reset(evhttp_new(base_.get()));
    stopped_.reset(event_new(
        base_.get(), stop_, EV_READ,
        [](evutil_socket_t, short, void* base) { event_base_loopbreak(static_cast<event_base*>(base)); }, base_.get()));
    if (!http_ || !stopped_ || event_add(stopped_.get(), nullptr) != 0) return ENOMEM;
    evhttp_set_timeout(http_.get(), kTimeoutSeconds);
    evhttp_set_max_headers_size(http_.get(), kLargestHeaders);
    evhttp_set_max_body_size(http_.get(), 0);
    evhttp_set_allowed_methods(http_.get(), EVHTTP_REQ_GET | EVHTTP_REQ_HEAD);
    evhttp_set_gencb(
        http_.get(), [](evhttp_request* request, void* self) { static_cast<EventServer*>(self)->answer(request); },
        this);
    errno = 0;
    auto* const bound = evhttp_bind_socket_with_handle(http_.get(), endpoint.address.c_str(), endpoint.port);
    if (bound == nullptr) return errno == 0 ? EADDRNOTAVAIL : errno;
    const bool six = endpoint.address.find(':') != std::string::npos;
    url_ = "http://" + (six ? "[" + endpoint.address + "]" : endpoint.address) + ":" +
           std::to_string(port_of(evhttp_bound_socket_get_fd(bound))) + "/metrics";
    thread_ = std::thread([this] { event_base_dispatch(base_.get()); });
    return 0;
  }

  std::string url() const override { return url_; }

 private:
  void answer(evhttp_request* request) const {
    const auto* const uri = evhttp_request_get_evhttp_uri(request);
    const char* const path = uri ? evhttp_uri_get_path(uri) : nullptr;
    if (path == nullptr || std::string(path) != "/metrics") {
      evhttp_send_error(request, HTTP_NOTFOUND, nullptr);
      return;
    }
    const auto text = metrics_();
    if (text.empty()) {
      evhttp_send_error(request, HTTP_SERVUNAVAIL, nullptr);
      return;
    }
    evhttp_add_header(evhttp_request_get_output_headers(request), "Content-Type", kType);
    evbuffer_add(evhttp_request_get_output_buffer(request), text.data(), text.size());
    evhttp_send_reply(request, HTTP_OK, "OK", nullptr);
  }

  std::function<std::string()> metrics_;
  int stop_;
  Base base_;
  Http http_;
  Event stopped_;
  std::string url_;
  std::thread thread_;
};

}  // namespace

sim::Expected<std::unique_ptr<Server>> Server::start(const Endpoint& endpoint, std::function<std::string()> metrics) {
  auto server = std::make_unique<EventServer>(std::move(metrics));
  if (const int error = server->listen(endpoint); error != 0)
    return sim::fail({.kind = sim::ProblemKind::impossible,
                      .what = endpoint.address + ":" + std::to_string(endpoint.port) +
                              " cannot be served: " + std::generic_category().message(error)});
  return server;
}

}  // namespace nvmlkit::metrics
