// Settings of this process from its environment: a log of its calls, and functions that fail or are slow only here.
//   NVMLKIT_DEBUG=1|stderr|FILE, MOCK_NVML_DEBUG=anything    NVMLKIT_FAULT='gpu=0 lost; machine fail nvmlInit_v2
//   UNKNOWN'
#pragma once

#include "sim/calls/rules.hpp"
#include "sim/problem/problem.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::driver {

struct ProcessHooks {
  int log = -1;  // file to write lines to
  sim::calls::Rules rules{};
};

// Looked up at the first call.
ProcessHooks& process_hooks();

// The commands of NVMLKIT_FAULT; null if it is not set.
const char* process_faults();

// Does what NVMLKIT_FAULT says, on the machine that was just loaded.
sim::Expected<void> apply_process_faults(const sim::Machine& machine);

// Must every call of this process be watched, regardless of the machine?
bool watches_process();

}  // namespace nvmlkit::driver
