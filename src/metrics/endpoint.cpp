#include <arpa/inet.h>

#include "metrics/server.hpp"
#include "sim/problem/names.hpp"
#include "sim/text/numbers.hpp"

namespace nvmlkit::metrics {
namespace {

bool is_address(const std::string& text) {
  in6_addr out;
  return inet_pton(AF_INET, text.c_str(), &out) == 1 || inet_pton(AF_INET6, text.c_str(), &out) == 1;
}

}  // namespace

sim::Expected<Endpoint> parse_endpoint(const std::string& text) {
  const auto colon = text.rfind(':');
  const auto port = sim::text::number_of<std::uint16_t>(colon == std::string::npos ? text : text.substr(colon + 1));
  std::string address = colon == std::string::npos || colon == 0 ? "127.0.0.1" : text.substr(0, colon);
  const bool bracketed = address.size() > 2 && address.front() == '[' && address.back() == ']';
  if (bracketed) address = address.substr(1, address.size() - 2);
  if (!port || !is_address(address) || (address.find(':') != std::string::npos) != bracketed)
    return sim::fail(
        sim::wrong_value("ADDRESS:PORT, such as 127.0.0.1:9411, [::1]:9411 or 0.0.0.0:9411", sim::quote(text)));
  return Endpoint{address, *port};
}

}  // namespace nvmlkit::metrics
