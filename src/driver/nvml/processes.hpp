// What a process of the machine is to NVML.
#pragma once

#include "sim/generated/model.hpp"

namespace nvmlkit::driver {

// The letter that stands for it in a process's type.
enum class ProcessKind : char { compute = 'C', graphics = 'G', mps = 'M' };

bool runs_as(const sim::model::Process& process, ProcessKind kind);

// All ones when the machine does not say.
unsigned long long used_bytes(const sim::model::Process& process);

}  // namespace nvmlkit::driver
