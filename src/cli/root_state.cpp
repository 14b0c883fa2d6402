#include "cli/root_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <system_error>

#include "cli/command_error.hpp"
#include "cli/selector.hpp"
#include "cli/state_files.hpp"
#include "sim/config/read_file.hpp"

namespace nvmlkit::cli {
namespace fs = std::filesystem;
namespace {

bool is_below(const fs::path& file, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first == folder.end();
}

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  return !fs::is_symlink(b, error) && fs::equivalent(a, b, error) && !error;
}

}  // namespace

RootState::RootState(const fs::path& folder, const std::optional<fs::path>& up)
    : run_(folder / "run"),
      state_(folder / kStateInRoot),
      settings_(folder / kSettingsInRoot),
      socket_(folder / kSocketInRoot),
      up_(up) {
  if (up_ && is_below(*up_, folder) && !is_same_file(*up_, state_))
    throw CommandError(sim::unusable_file(
        up_->string(), fmt::format("lies in the folder that is replaced; a machine that is up lies elsewhere or at {}",
                                   state_.string())));
}

bool RootState::has_own() const { return !up_ && fs::is_regular_file(fs::symlink_status(state_)); }

std::string RootState::difference_to(const MachineSettings& settings) const {
  const auto text = sim::config::read_file(settings_.string());
  return settings.difference_to(text ? std::optional(*text) : std::nullopt);
}

void RootState::remove() const {
  if (!up_ || !is_same_file(*up_, state_)) {
    fs::remove_all(run_);
    return;
  }
  for (const auto& entry : fs::directory_iterator(run_))
    if (entry.path().filename() != "nvmlkit") fs::remove_all(entry.path());
}

// A symbolic link leads programs of this host to the machine, and no container.
void RootState::link_machine(const node::Folder& folder, const fs::path& up) const {
  std::error_code error;
  fs::remove(folder.staged());
  fs::create_hard_link(up, folder.staged(), error);
  if (!error) return folder.move(kStateInRoot);
  if (error != std::errc::cross_device_link)
    throw CommandError(
        sim::unusable_file(up.string(), fmt::format("cannot be linked to {}: {}", state_.string(), error.message())));
  fs::create_symlink(up, folder.staged());
  folder.move(kStateInRoot);
  fs::remove(socket_);
  fmt::print(
      stderr,
      "nvmlkit: {}: lies on another file system than {}, and no hard link joins two: containers that NVIDIA's "
      "tools prepare will find no machine; make it with `nvmlkit up --state FILE` on the file system of the root\n",
      up.string(), run_.parent_path().string());
}

void RootState::link_socket(const node::Folder& folder) const {
  if (fs::is_symlink(state_) || is_same_file(socket_, state_)) return;
  std::error_code error;
  fs::remove(folder.staged());
  fs::create_hard_link(state_, folder.staged(), error);
  if (!error) return folder.move(kSocketInRoot);
  fmt::print(stderr,
             "nvmlkit: {}: cannot be linked to {}: {}; containers that NVIDIA's tools prepare will find no machine\n",
             state_.string(), socket_.string(), error.message());
}

// A command that is killed between the two moves leaves a machine without its settings, which the next one makes anew.
void RootState::put(const node::Folder& folder, const std::string& origin, const MachineSettings& settings,
                    const PermissionOptions& options, bool keep) const {
  if (!up_ && !(keep && has_own())) {
    fs::remove_all(folder.staged());
    make_state(folder.staged().string(), origin, options.permissions());
    folder.move(kStateInRoot);
    folder.put(kSettingsInRoot, root::Text{settings.text(), 0644});
  } else if (up_ && !is_same_file(*up_, state_)) {
    folder.erase(kSettingsInRoot);
    link_machine(folder, *up_);
  }
  if ((up_ || keep) && options.given()) accept(sim::state::permit(mounted().string(), options.permissions()));
  link_socket(folder);
}

}  // namespace nvmlkit::cli
