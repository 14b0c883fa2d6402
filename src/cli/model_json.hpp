// Fields of a GPU by their paths, as JSON and as text.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/generated/model.hpp"

namespace nvmlkit::cli {

using Json = nlohmann::ordered_json;

// The parts between the dots.
std::vector<std::string> segments(const std::string& path);

// The path of a machine file that a short one stands for: power.energy -> power.total_energy_consumption_mj.
std::string full_path(const std::string& path);

// The value at a path of a GPU, the GPU's own for an empty path; absent values are null. Refuses a path that is none.
Json value_at(sim::model::Gpu& gpu, const std::string& path);

std::string text_of(const Json& value);

// A line for each value, `prefix` in front.
void print(const std::string& prefix, const std::string& path, const Json& value);

}  // namespace nvmlkit::cli
