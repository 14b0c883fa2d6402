// What a replay did, for people and as JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "recording/check.hpp"
#include "recording/drive.hpp"

namespace nvmlkit::recording {

// 1h2m3.5s
std::string time_words(std::int64_t ms);
std::string number_words(double number);

// One line each.
std::vector<std::string> describe(const Recording& recording, const Timeline& timeline);
std::vector<std::string> summary_of(const Recording& recording, const Drive& drive);
std::vector<std::string> summary_of(const Check& check);

nlohmann::ordered_json as_json(const Recording& recording, const Timeline& timeline, const Drive& drive,
                               const Check* check);

}  // namespace nvmlkit::recording
