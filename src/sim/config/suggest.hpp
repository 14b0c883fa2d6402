// The valid name nearest to a misspelt one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace nvmlkit::sim::config {

// The candidate with the smallest edit distance to `given`, case left out; empty when none is similar.
std::string_view nearest(std::string_view given, std::span<const std::string_view> candidates);

// "; did you mean 'power'?", or "; expected one of a, b, c" when no candidate is similar, or how many there are.
std::string hint(std::string_view given, std::span<const std::string_view> candidates);

// `text` in single quotes, cut at 60 bytes and with control characters replaced, so that a message stays one line.
std::string quote(std::string_view text);

}  // namespace nvmlkit::sim::config
