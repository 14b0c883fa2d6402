#include "metrics/server.hpp"

#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <thread>
#include <utility>

#include "evented/listen.hpp"
#include "evented/objects.hpp"

namespace nvmlkit::metrics {
namespace {

constexpr const char* kType = "text/plain; version=0.0.4; charset=utf-8";

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

  sim::Expected<void> listen(const Endpoint& endpoint) {
    if (stop_ < 0 || !base_) return sim::fail(evented::out_of_memory());
    http_.reset(evhttp_new(base_.get()));
    stopped_.reset(event_new(
        base_.get(), stop_, EV_READ,
        [](evutil_socket_t, short, void* base) { event_base_loopbreak(static_cast<event_base*>(base)); }, base_.get()));
    if (!http_ || !stopped_ || event_add(stopped_.get(), nullptr) != 0) return sim::fail(evented::out_of_memory());
    evented::limit_clients(http_.get(), {});
    evhttp_set_gencb(
        http_.get(), [](evhttp_request* request, void* self) { static_cast<EventServer*>(self)->answer(request); },
        this);
    const auto port = evented::listen(http_.get(), endpoint.address, endpoint.port);
    if (!port) return sim::fail(port.error());
    url_ = "http://" + evented::in_url(endpoint.address, *port) + "/metrics";
    thread_ = std::thread([this] { event_base_dispatch(base_.get()); });
    return {};
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
  evented::Base base_;
  evented::Http http_;
  evented::Event stopped_;
  std::string url_;
  std::thread thread_;
};

}  // namespace

sim::Expected<std::unique_ptr<Server>> Server::start(const Endpoint& endpoint, std::function<std::string()> metrics) {
  auto server = std::make_unique<EventServer>(std::move(metrics));
  if (const auto listening = server->listen(endpoint); !listening) return sim::fail(listening.error());
  return server;
}

}  // namespace nvmlkit::metrics
