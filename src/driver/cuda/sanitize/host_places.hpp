// Accesses of the host to managed memory, for the check of races.
#pragma once

#include <cstdint>

namespace nvmlkit::cuda::sanitizer {

// The calling thread executes the instruction next. In a handler of a signal that it caused itself.
void note_host_access(const void* instruction, bool writes, std::uint64_t address, std::uint64_t size);
// The program ends.
void report_host_accesses();

}  // namespace nvmlkit::cuda::sanitizer
