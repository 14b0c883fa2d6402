// The fields of a GPU as JSON, named as in machine files.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/generated/model.hpp"
#include "sim/problem/problem.hpp"

namespace nvmlkit::serve {

// A field, a group of fields, or with an empty path all of them. What the GPU does not have is null.
sim::Expected<nlohmann::ordered_json> fields_of(const sim::model::Gpu& gpu, const std::string& path);

}  // namespace nvmlkit::serve
