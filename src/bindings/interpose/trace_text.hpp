// The lines of a trace: their tokens, written and read.
#pragma once

#include <cstdint>
#include <nvmlkit/interpose/hook.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nvmlkit::nvml::interpose {

using Token = std::optional<std::string>;  // empty = null

struct TraceLine {
  std::string function;
  std::vector<Token> in, out;
  std::int64_t result = 0;
  std::optional<std::string> text;   // of nvmlErrorString, instead of a code
  std::vector<std::string> missing;  // of the first line
  int version = 0;                   // of the first line
};

std::string json_string(std::string_view text);
std::string json_array(const std::vector<Token>& tokens);
std::string to_hex(const unsigned char* bytes, std::size_t size);
// Empty when it is no hexadecimal text.
std::optional<std::string> from_hex(std::string_view hex);

// Nothing for a line that is not of a trace.
std::optional<TraceLine> parse_trace_line(std::string_view line);

// What the call's inputs are, before it is made.
std::vector<Token> encode_inputs(const Call& call);
// How many bytes of an argument the call has written. `counts`: the lengths before the call, see counts_of.
std::size_t bytes_written(const Call& call, std::size_t index, int result, const std::vector<std::size_t>& counts);
// Of each argument with a length, how many elements there are room for.
std::vector<std::size_t> counts_of(const Call& call);

}  // namespace nvmlkit::nvml::interpose
