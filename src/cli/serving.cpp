#include "cli/serving.hpp"

#include <arpa/inet.h>

#include <cstdint>
#include <utility>

#include "cli/command_error.hpp"
#include "cli/host_name.hpp"
#include "cli/recorded.hpp"
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

std::string in_brackets(const std::string& address) {
  return address.find(':') != std::string::npos ? "[" + address + "]" : address;
}

}  // namespace

void ServingOptions::declare(Arguments& arguments) {
  arguments.option("--port", port_, "The port").default_text("a free one");
  arguments.option("--interval", Kind::text, interval_, "Time between two samples, from 100ms to 60s")
      .label("TIME")
      .default_text("1s");
  arguments
      .option("--recording", Kind::file, recordings_,
              "A recording that the page can compare the machine with, as `nvmlkit replay` takes it; the page opens "
              "others, too")
      .label("FILE");
  arguments
      .option("--metrics-names", Kind::text, metrics_names_,
              "The names of /metrics: those of the guide, those of dcgm-exporter, or both")
      .only({"nvmlkit", "dcgm", "both"})
      .default_text("both");
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
                 "hosts needs it, or TLS");
  tls_.declare(arguments);
}

bool ServingOptions::is_exposed() const { return !is_loopback(address_); }

std::unique_ptr<serve::http::Server> ServingOptions::listen() {
  if (!is_some_address(address_))
    throw CommandError(of_argument(
        "--listen", sim::wrong_value("an address such as 127.0.0.1, ::1 or 0.0.0.0", sim::quote(address_))));
  if (port_ > 65535)
    throw CommandError(
        of_argument("--port", sim::wrong_value("a port up to 65535", sim::quote(std::to_string(port_)))));
  if (plain_http_ && tls_.given())
    throw CommandError(of_argument("--plain-http", sim::contradiction("the server speaks TLS or plain HTTP")));
  if (is_exposed() && !plain_http_ && !tls_.given())
    throw CommandError(of_argument(
        "--listen",
        {.kind = sim::ProblemKind::contradiction,
         .what = "other hosts reach " + address_ + ", and without TLS whoever sees the traffic gets the token",
         .hint = "give --tls-cert and --tls-key, or --tls-self-signed; or accept it with "
                 "--plain-http"}));
  identity_ = tls_.identity(address_, hosts_);
  return of_option("--listen", serve::http::Server::open(address_, static_cast<std::uint16_t>(port_), {}, identity_));
}

serve::ServeOptions ServingOptions::settings(const serve::http::Server& server) const {
  serve::ServeOptions out;
  out.interval = interval_between(interval_);
  out.metrics = {.is_open = open_metrics_,
                 .own_names = metrics_names_ != "dcgm",
                 .dcgm_names = metrics_names_ != "nvmlkit",
                 .host = host_name()};
  out.guard.token = token_file_.empty() ? value_of(serve::make_token())
                                        : of_option("--token-file", serve::token_of_file(token_file_));
  out.guard.tls = identity_ != nullptr;
  out.guard.any_address = is_exposed();
  out.guard.hosts = serve::names_with_port({"127.0.0.1", "localhost", "[::1]", in_brackets(address_)}, server.port());
  out.guard.hosts.insert(out.guard.hosts.end(), hosts_.begin(), hosts_.end());
  // Another site has no certificate for these names, so that no browser asks for them by mistake.
  if (identity_)
    for (auto& each : serve::names_with_port(identity_->names(), server.port()))
      out.guard.hosts.push_back(std::move(each));
  return out;
}

serve::api::Recordings ServingOptions::recordings(const sim::Machine& machine) const {
  serve::api::Recordings out;
  for (const auto& file : recordings_)
    out.push_back(std::make_shared<const serve::Curves>(
        of_option("--recording", serve::read_curves(file, read_all(file), machine))));
  return out;
}

// A name that the certificate is for, if there is one.
std::string ServingOptions::host_of_link() const {
  const bool any = address_ == "0.0.0.0" || address_ == "::";
  const auto address = any ? "127.0.0.1" : address_;
  if (!identity_ || identity_->has_address(address)) return in_brackets(address);
  const auto names = identity_->names();
  return names.empty() ? in_brackets(address) : names.front();
}

std::string ServingOptions::url(const serve::http::Server& server, const serve::ServeOptions& settings) const {
  const auto link = (identity_ ? "https://" : "http://") + host_of_link() + ":" + std::to_string(server.port()) + "/";
  return token_file_.empty() ? link + "#token=" + settings.guard.token : link;
}

}  // namespace nvmlkit::cli
