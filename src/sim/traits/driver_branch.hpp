// Driver versions and their branches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/generated/driver_branches.hpp"
#include "sim/problem/problem.hpp"

namespace nvmlkit::sim {

// 550 of "550.163.01"; 0 when the text does not start with a number.
unsigned int branch_number(std::string_view driver_version);

// 163 of "550.163.01"; 0 when there is none.
unsigned int release_number(std::string_view driver_version);

// The newest branch that is no newer than this number; the oldest one for what is older.
const DriverBranch& nearest_branch(unsigned int number);

struct CudaVersion {
  std::uint32_t major, minor;
};

// The newest CUDA that a driver supports. Drivers older than every known branch, and texts that are no version, count
// as the driver that machines have by default.
CudaVersion newest_cuda_of(std::string_view driver_version);

// A version as it is, and for a branch the usual one: "550" -> "550.163.01". Nothing for a text that is neither.
std::optional<std::string> driver_version_of(std::string_view text);

// What to say of such a text.
Problem unknown_driver(std::string_view text);

}  // namespace nvmlkit::sim
