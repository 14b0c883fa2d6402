// The letters of nvidia-smi for what a process does with a GPU: C compute, G graphics, M MPS, or several: C+G, M+C.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/native/processes.hpp"

namespace nvmlkit::sim::processes {

inline constexpr const char* kKindWords = "C, G, C+G, M or M+C";

std::string letters_of(std::uint32_t kinds);
std::optional<std::uint32_t> kinds_of(std::string_view letters);

}  // namespace nvmlkit::sim::processes
