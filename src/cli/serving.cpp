#include "cli/serving.hpp"

#include <arpa/inet.h>

#include <cstdint>
#include <utility>

#include "cli/command_error.hpp"
#include "serve/security/token.hpp"
#include "sim/problem/names.hpp"
#include "sim/steering/time_words.hpp"

namespace nvmlkit::cli {
namespace {

bool is_loopback(const std::string& address) {
  in_addr four{};
  if (inet_pton(AF_INET, address.c_str(), &four) == 1) return ntohl(four.s_addr) >> 24 == 127;
  in6_addr six{};
  return inet_pton(AF_INET6, address.c_str(), &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

bool is_some_address(const std::string& address) {
  in6_addr out;
  return inet_pton(AF_INET, address.c_str(), &out) == 1 || inet_pton(AF_INET6, address.c_str(), &out) == 1;
}

template <class T>
T of_option(const char* option, sim::Expected<T>&& value) {
  if (!value) throw CommandError(of_argument(option, std::move(value.error())));
  return std::move(*value);
}

std::chrono::milliseconds interval_between(const std::string& text) {
  const auto seconds = sim::steering::read_seconds(text);
  if (!seconds || *seconds < 0.1 || *seconds > 60)
    throw CommandError(of_argument("--interval", sim::wrong_value("a time from 100ms to 60s", sim::quote(text))));
  return std::chrono::milliseconds(static_cast<std::int64_t>(*seconds * 1000));
}

std::string printed_host(const std::string& address, std::uint16_t port) {
  const bool six = address.find(':') != std::string::npos;
  return (six ? "[" + address + "]" : address) + ":" + std::to_string(port);
}

}  // namespace

void ServingOptions::declare(Arguments& arguments) {
  arguments.option("--port", port_, "The port").default_text("a free one");
  arguments.option("--interval", Kind::text, interval_, "Time between two samples, from 100ms to 60s")
      .label("TIME")
      .default_text("1s");
  arguments.section("Who may ask");
  arguments
      .option("--token-file", Kind::file, token_file_,
              "The file of the token, which only this user may read; made where it is missing")
      .default_text("a random token, printed with the link");
  arguments.flag("--open-metrics", open_metrics_, "/metrics needs no token");
  arguments
      .option("--host", Kind::text, hosts_,
              "A further name of the server, as clients and their proxy write it: gpus.example.com, or with :PORT")
      .label("NAME")
      .default_text("the loopback names only");
  arguments.option("--listen", Kind::text, address_, "The address").label("ADDRESS").default_text("127.0.0.1");
  arguments.flag("--plain-http", plain_http_,
                 "Accept that token and values cross the network unencrypted; --listen with an address of other "
                 "hosts needs it");
}

bool ServingOptions::is_exposed() const { return !is_loopback(address_); }

std::unique_ptr<serve::http::Server> ServingOptions::listen() const {
  if (!is_some_address(address_))
    throw CommandError(of_argument(
        "--listen", sim::wrong_value("an address such as 127.0.0.1, ::1 or 0.0.0.0", sim::quote(address_))));
  if (port_ > 65535)
    throw CommandError(
        of_argument("--port", sim::wrong_value("a port up to 65535", sim::quote(std::to_string(port_)))));
  if (is_exposed() && !plain_http_)
    throw CommandError(
        of_argument("--listen", {.kind = sim::ProblemKind::contradiction,
                                 .what = "other hosts reach " + address_ +
                                         ", and the server speaks no TLS: whoever sees the traffic gets the "
                                         "token",
                                 .hint = "use a tunnel or a proxy with TLS (--host), or accept it with --plain-http"}));
  return of_option("--listen", serve::http::Server::open(address_, static_cast<std::uint16_t>(port_), {}));
}

serve::ServeOptions ServingOptions::settings(const serve::http::Server& server) const {
  serve::ServeOptions out;
  out.interval = interval_between(interval_);
  out.open_metrics = open_metrics_;
  out.guard.token = token_file_.empty() ? value_of(serve::make_token())
                                        : of_option("--token-file", serve::token_of_file(token_file_));
  out.guard.hosts = serve::loopback_names(server.port());
  out.guard.hosts.push_back(printed_host(address_, server.port()));
  out.guard.hosts.insert(out.guard.hosts.end(), hosts_.begin(), hosts_.end());
  out.guard.any_address = is_exposed();
  return out;
}

std::string ServingOptions::url(const serve::http::Server& server, const serve::ServeOptions& settings) const {
  const bool any = address_ == "0.0.0.0" || address_ == "::";
  const auto link = "http://" + printed_host(any ? "127.0.0.1" : address_, server.port()) + "/";
  return token_file_.empty() ? link + "#token=" + settings.guard.token : link;
}

}  // namespace nvmlkit::cli
