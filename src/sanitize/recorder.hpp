// In the process that is checked: its options, and where its findings go. Of the driver library and of the runtime.
#pragma once

#include "sanitize/finding.hpp"
#include "sanitize/options.hpp"

namespace nvmlkit::sanitize {

// Null where no sanitizer asked for this process.
const Options* options();

// Appends the record of a finding, whole. Sets its process.
void record(Finding finding);

// A call of the API that went wrong, where those are reported: its name is that of the exported function of this
// library that is being called, unless another library of ours called it.
void record_call_error(std::uint64_t error, const char* name, const char* text);

}  // namespace nvmlkit::sanitize
