#include "serve/security/guard.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "serve/api/error.hpp"
#include "serve/security/token.hpp"

namespace nvmlkit::serve {
namespace {

constexpr std::pair<const char*, const char*> kSecurityHeaders[] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
     "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Permissions-Policy", "camera=(), geolocation=(), microphone=(), usb=()"},
    {"Cache-Control", "no-store"},
};

bool equal_names(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  });
}

// 192.0.2.1:80, [2001:db8::1]:80, or without the port.
bool is_numeric(std::string_view host) {
  std::string name(host.substr(0, host.front() == '[' ? host.find(']') + 1 : host.find(':')));
  if (name.size() > 2 && name.front() == '[') name = name.substr(1, name.size() - 2);
  in6_addr out;
  return inet_pton(AF_INET, name.c_str(), &out) == 1 || inet_pton(AF_INET6, name.c_str(), &out) == 1;
}

// A header that decides must not come twice: programs differ in which of two counts.
bool has_doubles(const http::Request& request) {
  for (const auto* name : {"host", "origin", "authorization", "content-type", "sec-fetch-site"})
    if (request.count(name) > 1) return true;
  return false;
}

bool is_json(const http::Request& request) {
  const auto* const type = request.header("content-type");
  if (type == nullptr) return false;
  auto name = std::string_view(*type).substr(0, type->find(';'));
  while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
  return equal_names(name, "application/json");
}

}  // namespace

std::vector<std::string> names_with_port(const std::vector<std::string>& names, std::uint16_t port) {
  std::vector<std::string> out;
  for (const auto& name : names) {
    out.push_back(name + ":" + std::to_string(port));
    if (port == 80 || port == 443) out.push_back(name);
  }
  return out;
}

void add_security_headers(http::Response& response) {
  for (const auto& [name, value] : kSecurityHeaders) response.headers.emplace_back(name, value);
}

bool Guard::is_own_name(std::string_view host) const {
  if (host.empty()) return false;
  if (settings_.any_address && is_numeric(host)) return true;
  return std::any_of(settings_.hosts.begin(), settings_.hosts.end(),
                     [&](const auto& each) { return equal_names(each, host); });
}

// Behind a proxy the page may have come by https.
bool Guard::is_own_origin(std::string_view origin, std::string_view host) const {
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (settings_.tls && scheme == "http://") continue;
    if (origin.starts_with(scheme) && equal_names(origin.substr(scheme.size()), host)) return true;
  }
  return false;
}

bool Guard::has_token(const http::Request& request) const {
  constexpr std::string_view kScheme = "bearer ";
  const auto* const header = request.header("authorization");
  if (header == nullptr || header->size() <= kScheme.size()) return false;
  const std::string_view given = *header;
  return equal_names(given.substr(0, kScheme.size()), kScheme) &&
         equal_in_constant_time(given.substr(kScheme.size()), settings_.token);
}

std::optional<http::Response> Guard::refuse(const http::Request& request, Access access) const {
  if (request.absolute || has_doubles(request)) return api::error_response(400, "this is no request to this server");
  const auto* const host = request.header("host");
  if (host == nullptr || !is_own_name(*host))
    return api::error_response(421, "this server has another name; nvmlkit serve --host gives it more");
  if (const auto* const origin = request.header("origin"); origin != nullptr && !is_own_origin(*origin, *host))
    return api::error_response(403, "requests of other sites are refused");
  if (access == Access::page) return std::nullopt;
  if (const auto* const site = request.header("sec-fetch-site");
      site != nullptr && *site != "same-origin" && *site != "none")
    return api::error_response(403, "requests of other sites are refused");
  if (access == Access::open) return std::nullopt;
  if (!has_token(request)) {
    auto out = api::error_response(401, "the token is missing or wrong; nvmlkit serve printed it at its start");
    out.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"nvmlkit\"");
    return out;
  }
  if (access == Access::write && !request.body.empty() && !is_json(request))
    return api::error_response(415, "the body must be application/json");
  if (access == Access::write && request.method == "POST" && !is_json(request))
    return api::error_response(415, "the body must be application/json");
  return std::nullopt;
}

}  // namespace nvmlkit::serve
