// Who may ask for what. A request is refused before any code of its route runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/http/message.hpp"

namespace nvmlkit::serve {

enum class Access : std::uint8_t {
  page,   // the same files for everybody, and no word about the machine
  open,   // without the token, as --open-metrics asks for
  read,   // needs the token
  write,  // needs it too, and JSON
};

struct GuardSettings {
  std::string token;
  // Names by which clients may call the server, with or without a port: those of the loopback interface, and --host.
  std::vector<std::string> hosts;
  // Addresses in numbers are good names, too: of a server that other hosts reach. Rebinding needs a name.
  bool any_address = false;
  // The server speaks TLS: a page that came by plain HTTP is not its own.
  bool tls = false;
};

class Guard {
 public:
  explicit Guard(GuardSettings settings) : settings_(std::move(settings)) {}

  // The refusal; nothing where the request may go on. `access` is that of its route.
  std::optional<http::Response> refuse(const http::Request& request, Access access) const;

 private:
  bool is_own_name(std::string_view host) const;
  bool is_own_origin(std::string_view origin, std::string_view host) const;
  bool has_token(const http::Request& request) const;

  GuardSettings settings_;
};

// The names as clients write them: with the port, and without it where browsers leave it out.
std::vector<std::string> names_with_port(const std::vector<std::string>& names, std::uint16_t port);

// For every response: no other site may frame, read or script the page.
void add_security_headers(http::Response& response);

}  // namespace nvmlkit::serve
