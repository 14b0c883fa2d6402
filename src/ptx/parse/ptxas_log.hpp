// The words of NVIDIA's assembler, ptxas, for PTX that is wrong. JIT logs of a driver have them too.
#pragma once

#include <string>
#include <string_view>

#include "ptx/parse/error.hpp"

namespace nvmlkit::ptx {

// The name of a text that a driver was handed. ptxas writes that of its file.
inline constexpr std::string_view kJitInput = "application ptx input";

// The last line behind errors.
inline constexpr std::string_view kAborted = "ptxas fatal   : Ptx assembly aborted due to errors";

std::string error_line(std::string_view input, int line, std::string_view text);
std::string fatal_line(std::string_view input, int line, std::string_view text);

// For an error of our parser. Where ptxas' words are not known, ours stay.
std::string ptxas_log(const Error& error, std::string_view input = kJitInput);

}  // namespace nvmlkit::ptx
