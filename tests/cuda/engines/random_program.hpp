// PTX by chance: a kernel of instructions that every engine must execute alike, bit by bit.
#pragma once

#include <cstdint>
#include <string>

namespace nvmlkit::test {

// A kernel named `kernel` with the parameters data (.u64), count and factor (.u32). Each thread reads 16 words of
// `data` at 64 * thread, and writes 64 at 65536 + 256 * thread.
std::string random_program(std::uint64_t seed);

}  // namespace nvmlkit::test
