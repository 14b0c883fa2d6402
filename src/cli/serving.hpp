// Where `nvmlkit serve` listens, and who may ask it what.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/tls_options.hpp"
#include "serve/follow.hpp"
#include "serve/http/server.hpp"

namespace nvmlkit::cli {

class ServingOptions {
 public:
  void declare(Arguments& arguments);

  // Listens, after which identity() is known. Refuses an address of other hosts without TLS and without --plain-http.
  std::unique_ptr<serve::http::Server> listen();
  // Of the server that listens.
  serve::ServeOptions settings(const serve::http::Server& server) const;
  // What the page may compare the machine with.
  serve::api::Recordings recordings(const sim::Machine& machine) const;
  // How to open the page. A token that came from a file is not in it.
  std::string url(const serve::http::Server& server, const serve::ServeOptions& settings) const;

  bool is_exposed() const;
  // Null without TLS.
  const serve::tls::Identity* identity() const { return identity_.get(); }
  bool is_self_signed() const { return tls_.is_self_signed(); }
  const std::string& token_file() const { return token_file_; }

 private:
  std::string host_of_link() const;

  std::string address_ = "127.0.0.1", token_file_, interval_ = "1s";
  std::uint32_t port_ = 0;
  std::string metrics_names_ = "both";
  std::vector<std::string> hosts_, recordings_;
  bool plain_http_ = false, open_metrics_ = false;
  TlsOptions tls_;
  std::shared_ptr<const serve::tls::Identity> identity_;
};

}  // namespace nvmlkit::cli
