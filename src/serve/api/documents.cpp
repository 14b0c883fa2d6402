#include "serve/api/documents.hpp"

#include "scenario/library.hpp"
#include "serve/page.hpp"

namespace nvmlkit::serve::api {

std::string_view openapi_text() { return openapi_files().front().text; }

nlohmann::ordered_json library_json() {
  auto out = nlohmann::ordered_json::array();
  for (const auto& each : scenario::library())
    out.push_back({{"name", each.name}, {"machine", each.machine()}, {"text", each.text}});
  return out;
}

}  // namespace nvmlkit::serve::api
