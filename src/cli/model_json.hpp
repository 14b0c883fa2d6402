// Fields of a GPU by their paths, as JSON and as text.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/generated/model.hpp"

namespace nvmlkit::cli {

using Json = nlohmann::ordered_json;

// The value at a path of a GPU, the GPU's own for an empty path; absent values are null. Refuses a path that is none.
Json value_at(const sim::model::Gpu& gpu, const std::string& path);

std::string text_of(const Json& value);

// A line for each value, `prefix` in front.
void print(const std::string& prefix, const std::string& path, const Json& value);

}  // namespace nvmlkit::cli
