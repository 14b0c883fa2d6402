// The state file of a driver root: run/nvmlkit/state, where its libraries look first, and a hard link of it at
// run/nvidia-persistenced/socket, which NVIDIA's generators of CDI specifications mount into containers by themselves.
// Beside it, run/nvmlkit/settings names what a machine of the root's own was made from.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "cli/machine_settings.hpp"
#include "cli/permissions.hpp"
#include "node/folder.hpp"

namespace nvmlkit::cli {

// Below the root.
inline constexpr const char* kStateInRoot = "run/nvmlkit/state";
inline constexpr const char* kSettingsInRoot = "run/nvmlkit/settings";
inline constexpr const char* kSocketInRoot = "run/nvidia-persistenced/socket";

class RootState {
 public:
  // `up` is the state file of the machine that is up; without it the root has a machine of its own. Refuses a file that
  // the next rendering of the root would remove.
  RootState(const std::filesystem::path& folder, const std::optional<std::filesystem::path>& up);

  // Is there a machine of the root's own?
  bool has_own() const;
  // What was otherwise when it was made, for people; empty when nothing was.
  std::string difference_to(const MachineSettings& settings) const;

  // Makes the files, each at once and as a whole. With `keep`, a machine of the root's own that is there stays.
  // `origin` is kept for people to read, and `settings` for the next start.
  void put(const node::Folder& folder, const std::string& origin, const MachineSettings& settings,
           const PermissionOptions& options, bool keep) const;

  // Removes run/, but not the machine that is up in it.
  void remove() const;

  // What containers get.
  std::filesystem::path mounted() const { return up_.value_or(state_); }

 private:
  void link_machine(const node::Folder& folder, const std::filesystem::path& up) const;
  void link_socket(const node::Folder& folder) const;

  std::filesystem::path run_, state_, settings_, socket_;
  std::optional<std::filesystem::path> up_;
};

}  // namespace nvmlkit::cli
