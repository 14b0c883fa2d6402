// The lines of a trace: a call as text, written and read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/call_memory/answer.hpp"

namespace nvmlkit::nvml::interpose {

using Token = std::optional<std::string>;  // empty = null

// The newest version of the lines. Version 1 had no memory behind pointers inside structs.
inline constexpr int kTraceVersion = 2;

struct TraceLine {
  std::string function;
  std::vector<Token> in, out;
  std::vector<NestedBytes> behind, wrote;  // behind pointers inside structs, before and after the call
  std::int64_t result = 0;
  std::optional<std::string> text;   // of nvmlErrorString, instead of a code
  std::vector<std::string> missing;  // of the first line
  int version = 0;                   // of the first line; 0 in others
};

// The line of a call, or the first line if `version` is set. Without its end.
std::string text_of(const TraceLine& line);
// Nothing for a line that is not of a trace.
std::optional<TraceLine> parse_trace_line(std::string_view line);
// A function with its inputs: equal for equal questions.
std::string question_of(const TraceLine& line);

std::string to_hex(const unsigned char* bytes, std::size_t size);
// Empty when it is no hexadecimal text.
std::optional<std::string> from_hex(std::string_view hex);

}  // namespace nvmlkit::nvml::interpose
