// Which bits of global, shared and local memory something has written: uses of others are findings.
#pragma once

#include <cstdint>

#include "ptx/check/checked.hpp"
#include "ptx/run/warp.hpp"

namespace nvmlkit::ptx {

// A byte for each of so many, with a bit for each that was written; null: they are not watched. The space is one that
// space_of() returned.
std::byte* written_at(Warp& w, const Instruction& i, Space space, std::uint64_t address, std::uint64_t size,
                      unsigned lane);

// Of a load, store or atomic change: what it reads is looked at, what it writes is noted.
void check_written(Warp& w, const Instruction& i, const CheckedForm& form, const std::uint64_t* addresses, Mask lanes);

// The same of other instructions. A copy hands on what was written, and is no finding.
void check_written(Warp& w, const Instruction& i, const TouchedBytes& pieces, Mask lanes);

// A function of the driver writes for a thread; a generic address.
void note_written(Warp& w, const Instruction& i, std::uint64_t address, std::uint64_t size);

}  // namespace nvmlkit::ptx
