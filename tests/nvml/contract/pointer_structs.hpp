// Structs that hold pointers, filled with lies: all of it, and what the pointers lead to, but never the pointers
// themselves. A driver that writes pointers of its own is beyond help.
#pragma once

#include <nvmlkit/interpose.hpp>

#include "../liar.hpp"

namespace nvmlkit::nvml::test {

// False where the function has no such struct.
bool scribble_pointer_struct(Liar& liar, const interpose::Call& call);

// Functions of such structs that scribble_pointer_struct() does not know.
std::string unknown_pointer_structs();

}  // namespace nvmlkit::nvml::test
