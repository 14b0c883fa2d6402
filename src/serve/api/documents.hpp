// Documents that do not depend on the machine.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace nvmlkit::serve::api {

// The description of the API, embedded from openapi.json.
std::string_view openapi_text();

// The ready scenarios.
nlohmann::ordered_json library_json();

}  // namespace nvmlkit::serve::api
