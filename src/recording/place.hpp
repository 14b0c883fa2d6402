// Which GPU of a machine plays which of a recording.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "recording/recording.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::recording {

// Keeps the GPUs of one host. A problem if the recording has several and `host` is empty, or if it does not have it.
Expected<void> keep_host(Recording& recording, const std::string& host);

// The place in the machine of each GPU of the recording: by UUID if the machine has all of them, else by PCI address
// if it has all of them, else by index, and GPUs without an index in the order of their addresses.
Expected<std::vector<std::size_t>> places_on(const Recording& recording, const sim::Machine& machine);

}  // namespace nvmlkit::recording
