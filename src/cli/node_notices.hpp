// Files of a host by which other programs learn that a node has its driver.
#pragma once

#include <filesystem>
#include <string>

#include "sim/state/machine.hpp"

namespace nvmlkit::cli {

struct NoticeOptions {
  std::string validations;  // a folder; empty: none
  std::string features;     // a file; empty: none
};

// Throws std::filesystem::filesystem_error.
void write_notices(const NoticeOptions& options, const std::filesystem::path& root, const sim::Machine& machine);
void remove_notices(const NoticeOptions& options);

// Refuses, where NVIDIA's kernel driver works on this host.
void refuse_real_driver();

}  // namespace nvmlkit::cli
