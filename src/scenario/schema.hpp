// The JSON Schema of scenario files, made from the list of their keys.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace nvmlkit::scenario {

nlohmann::ordered_json schema();

}  // namespace nvmlkit::scenario
