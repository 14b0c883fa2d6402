// Names that people wrote and the valid ones.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace nvmlkit::sim {

// The candidate with the smallest edit distance to `given`, case left out; empty when none is similar.
std::string_view nearest(std::string_view given, std::span<const std::string_view> candidates);

// "expected one of a, b, c", or how many there are when they are many; empty when there are none.
std::string valid_names(std::span<const std::string_view> candidates);

// `text` in single quotes, cut at 60 bytes and with control characters replaced, so that a message stays one line.
std::string quote(std::string_view text);

}  // namespace nvmlkit::sim
