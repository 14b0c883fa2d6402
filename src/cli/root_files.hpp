// Files of this installation and of the host that go into a driver root.
#pragma once

#include <filesystem>
#include <optional>

#include "cli/root.hpp"

namespace nvmlkit::cli {

inline constexpr const char* kSmiInRoot = "usr/bin/nvidia-smi";

struct RootFiles {
  std::filesystem::path nvml;
  std::optional<std::filesystem::path> cuda, nscq, hook, nvidia_smi, mps_control, mps_server, imex, imex_control;
};

// Throws CommandError for what the options ask for and is not there.
RootFiles find_root_files(const RootOptions& options, const std::filesystem::path& folder);

}  // namespace nvmlkit::cli
