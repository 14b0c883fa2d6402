// The secret that a client of the server has to know.
#pragma once

#include <string>
#include <string_view>

#include "sim/problem/problem.hpp"

namespace nvmlkit::serve {

// 256 random bits of the kernel, as 64 digits.
sim::Expected<std::string> make_token();

// The token of a file. Where there is none, a new one is written to it, readable for this user only. A file that is
// somebody else's or open to others is refused.
sim::Expected<std::string> token_of_file(const std::string& path);

// Takes as long for each text of a length.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace nvmlkit::serve
