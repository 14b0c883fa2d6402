#include "serve/http/message.hpp"

#include <algorithm>

namespace nvmlkit::serve::http {

const std::string* Request::header(std::string_view name) const {
  const auto found = std::find_if(headers.begin(), headers.end(), [&](const auto& each) { return each.first == name; });
  return found == headers.end() ? nullptr : &found->second;
}

std::size_t Request::count(std::string_view name) const {
  return static_cast<std::size_t>(
      std::count_if(headers.begin(), headers.end(), [&](const auto& each) { return each.first == name; }));
}

std::string event_text(std::string_view name, std::string_view data) {
  std::string out = "event: ";
  out.append(name).append("\ndata: ").append(data).append("\n\n");
  return out;
}

}  // namespace nvmlkit::serve::http
