#include "serve/http/server.hpp"

#include <event2/bufferevent.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <unordered_map>
#include <utility>
#include <vector>

#include "evented/listen.hpp"
#include "evented/objects.hpp"
#include "serve/http/convert.hpp"

namespace nvmlkit::serve::http {
namespace {

constexpr int kLongIdle = 365 * 24 * 3600;

timeval timeval_of(std::chrono::milliseconds time) {
  const auto count = std::max<std::int64_t>(time.count(), 1);
  return {static_cast<time_t>(count / 1000), static_cast<suseconds_t>(count % 1000 * 1000)};
}

void call(const std::function<void()>& callback) {
  if (callback) callback();
}

class EventServer final : public Server {
 public:
  EventServer(const Limits& limits, std::shared_ptr<const tls::Identity> identity)
      : limits_(limits),
        identity_(std::move(identity)),
        wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        base_(event_base_new()) {}
  ~EventServer() override {
    http_.reset();  // ends the connections, whose ends use the rest
    if (wake_ >= 0) close(wake_);
  }

  sim::Expected<void> listen(const std::string& address, std::uint16_t port) {
    if (wake_ < 0 || !base_) return sim::fail(evented::out_of_memory());
    http_.reset(evhttp_new(base_.get()));
    if (!http_ || !make_events()) return sim::fail(evented::out_of_memory());
    evented::limit_clients(http_.get(),
                           {.idle_seconds = limits_.idle_seconds,
                            .header_bytes = limits_.header_bytes,
                            .body_bytes = limits_.body_bytes,
                            .methods = EVHTTP_REQ_GET | EVHTTP_REQ_HEAD | EVHTTP_REQ_POST | EVHTTP_REQ_DELETE});
    evhttp_set_gencb(
        http_.get(), [](evhttp_request* request, void* self) { static_cast<EventServer*>(self)->answer(request); },
        this);
    if (identity_)
      evhttp_set_bevcb(
          http_.get(),
          [](event_base* base, void* self) { return static_cast<EventServer*>(self)->identity_->connection(base); },
          this);
    const auto bound = evented::listen(http_.get(), address, port);
    if (!bound) return sim::fail(bound.error());
    port_ = *bound;
    for (const auto& signal : signals_) event_add(signal.get(), nullptr);
    return {};
  }

  std::uint16_t port() const override { return port_; }

  void run(Callbacks callbacks, std::chrono::milliseconds interval) override {
    callbacks_ = std::move(callbacks);
    std::signal(SIGPIPE, SIG_IGN);  // a client that goes away must not end the server
    const auto every = timeval_of(interval);
    event_add(tick_.get(), &every);
    event_add(woken_.get(), nullptr);
    event_base_dispatch(base_.get());
  }
  void stop() override { event_base_loopbreak(base_.get()); }
  void wake() override { (void)!eventfd_write(wake_, 1); }
  void set_alarm(std::optional<std::chrono::milliseconds> after) override {
    event_del(alarm_.get());
    if (!after) return;
    const auto time = timeval_of(*after);
    event_add(alarm_.get(), &time);
  }

  void broadcast(std::string_view text) override {
    const evented::Buffer buffer(evbuffer_new());
    if (!buffer) return;
    std::vector<evhttp_connection*> slow;
    for (const auto& [connection, request] : streams_) {
      auto* const unread = bufferevent_get_output(evhttp_connection_get_bufferevent(connection));
      if (evbuffer_get_length(unread) > limits_.unread_bytes) {
        slow.push_back(connection);
        continue;
      }
      evbuffer_add(buffer.get(), text.data(), text.size());
      evhttp_send_reply_chunk(request, buffer.get());
    }
    for (auto* const connection : slow) evhttp_connection_free(connection);
  }
  std::size_t streams() const override { return streams_.size(); }

 private:
  bool make_events() {
    tick_.reset(event_new(
        base_.get(), -1, EV_PERSIST,
        [](evutil_socket_t, short, void* self) { call(static_cast<EventServer*>(self)->callbacks_.tick); }, this));
    alarm_.reset(event_new(
        base_.get(), -1, 0,
        [](evutil_socket_t, short, void* self) { call(static_cast<EventServer*>(self)->callbacks_.alarm); }, this));
    woken_.reset(event_new(
        base_.get(), wake_, EV_READ | EV_PERSIST,
        [](evutil_socket_t fd, short, void* self) {
          eventfd_t count = 0;
          (void)!eventfd_read(fd, &count);
          call(static_cast<EventServer*>(self)->callbacks_.woken);
        },
        this));
    for (std::size_t i = 0; i < kSignals.size(); ++i)
      signals_[i].reset(event_new(
          base_.get(), kSignals[i], EV_SIGNAL | EV_PERSIST,
          [](evutil_socket_t, short, void* base) { event_base_loopbreak(static_cast<event_base*>(base)); },
          base_.get()));
    return tick_ && alarm_ && woken_ && signals_[0] && signals_[1];
  }

  void answer(evhttp_request* request) {
    auto response = callbacks_.answer(read_request(request));
    if (response.stream && streams_.size() >= limits_.streams)
      response = {.status = 503, .body = R"({"message":"too many streams are open"})", .headers = response.headers};
    if (!response.stream) {
      write_response(request, response);
      return;
    }
    auto* const connection = evhttp_request_get_connection(request);
    evhttp_connection_set_timeout(connection, kLongIdle);
    evhttp_connection_set_closecb(
        connection,
        [](evhttp_connection* closed, void* self) { static_cast<EventServer*>(self)->streams_.erase(closed); }, this);
    write_headers(request, response);
    evhttp_send_reply_start(request, response.status, reason_of(response.status));
    streams_[connection] = request;
    const evented::Buffer buffer(evbuffer_new());
    if (!buffer) return;
    evbuffer_add(buffer.get(), response.body.data(), response.body.size());
    evhttp_send_reply_chunk(request, buffer.get());
  }

  static constexpr std::array kSignals = {SIGINT, SIGTERM};

  Limits limits_;
  std::shared_ptr<const tls::Identity> identity_;
  int wake_;
  Callbacks callbacks_;
  std::unordered_map<evhttp_connection*, evhttp_request*> streams_;
  evented::Base base_;
  evented::Event tick_, alarm_, woken_;
  std::array<evented::Event, kSignals.size()> signals_;
  evented::Http http_;
  std::uint16_t port_ = 0;
};

}  // namespace

sim::Expected<std::unique_ptr<Server>> Server::open(const std::string& address, std::uint16_t port,
                                                    const Limits& limits,
                                                    std::shared_ptr<const tls::Identity> identity) {
  auto server = std::make_unique<EventServer>(limits, std::move(identity));
  if (const auto listening = server->listen(address, port); !listening) return sim::fail(listening.error());
  return server;
}

}  // namespace nvmlkit::serve::http
