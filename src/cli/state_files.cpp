#include "cli/state_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <thread>

#include "cli/command_error.hpp"
#include "kernel_log/follower.hpp"
#include "sim/config/choice.hpp"
#include "sim/config/load.hpp"
#include "sim/problem/names.hpp"
#include "sim/state/file.hpp"

namespace nvmlkit::cli {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kMachine = "machine";
constexpr std::string_view kNamed = "machine-";

bool may_be_named(std::string_view name) {
  constexpr std::string_view kAllowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
  return !name.empty() && name.size() <= 64 && name.front() != '-' && name.find_first_not_of(kAllowed) == name.npos;
}

std::string default_folder() {
  const auto runtime = sim::Environment::process().get("XDG_RUNTIME_DIR");
  const bool usable = runtime && access(runtime->c_str(), W_OK | X_OK) == 0;  // containers may lack what it names
  return usable ? *runtime + "/nvmlkit" : fmt::format("/tmp/nvmlkit-{}", geteuid());
}

}  // namespace

std::optional<std::string> state_in_environment() { return sim::Environment::process().get("NVMLKIT_STATE"); }

std::string state_folder() {
  const auto folder = default_folder();
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    throw CommandError(sim::unusable_file(folder, fmt::format("cannot be made: {}", std::strerror(errno))));
  struct stat about {};
  if (lstat(folder.c_str(), &about) != 0 || !S_ISDIR(about.st_mode) || about.st_uid != geteuid() ||
      (about.st_mode & 0077) != 0)
    throw CommandError(sim::wrong_value("a folder that is this user's alone (mode 0700)").at({.file = folder}));
  return folder;
}

std::string state_of_name(const std::string& name) {
  if (!may_be_named(name))
    throw CommandError(
        of_argument("--name", sim::wrong_value("up to 64 letters, digits, - and _, the first no -", sim::quote(name))));
  return fmt::format("{}/{}", state_folder(),
                     name == kDefaultName ? std::string(kMachine) : std::string(kNamed) + name);
}

std::vector<NamedState> list_states() {
  std::vector<NamedState> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(state_folder(), error)) {
    const auto file = entry.path().filename().string();
    const bool named = file.starts_with(kNamed) && may_be_named(std::string_view(file).substr(kNamed.size()));
    if ((file != kMachine && !named) || !sim::state::is_state_file(entry.path())) continue;
    out.push_back({named ? file.substr(kNamed.size()) : kDefaultName, entry.path().string()});
  }
  std::sort(out.begin(), out.end(), [](const NamedState& a, const NamedState& b) {
    const bool first = a.name == kDefaultName, other_first = b.name == kDefaultName;
    return first != other_first ? first : a.name < b.name;
  });
  return out;
}

std::string list_state_names() {
  std::string out;
  for (const auto& state : list_states()) out += (out.empty() ? "" : ", ") + state.name;
  return out;
}

FolderLock::FolderLock(const std::string& folder) : fd_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (fd_ < 0)
    throw CommandError(sim::unusable_file(folder, fmt::format("cannot be opened: {}", std::strerror(errno))));
  constexpr auto kPause = std::chrono::milliseconds(10);
  for (auto left = std::chrono::minutes(1) / kPause; flock(fd_, LOCK_EX | LOCK_NB) != 0; --left) {
    if (left == 0) {
      close(fd_);
      throw CommandError({.kind = sim::ProblemKind::busy,
                          .what = "another nvmlkit command has locked the folder for a minute",
                          .place = {.file = folder}});
    }
    std::this_thread::sleep_for(kPause);
  }
}

FolderLock::~FolderLock() { close(fd_); }

std::unique_ptr<FolderLock> lock_folder_of(const std::string& path) {
  if (fs::path(path).lexically_normal().parent_path() != fs::path(default_folder()).lexically_normal()) return nullptr;
  const auto folder = state_folder();
  auto lock = std::make_unique<FolderLock>(folder);
  remove_stale_files(folder);
  return lock;
}

void make_state(const std::string& path, const std::string& origin, const sim::state::Permissions& permissions) {
  unsetenv("NVMLKIT_STATE");  // the machine that it says is not the one to make
  const auto environment = sim::Environment::process();
  const auto machine = value_of(sim::load_machine(environment));
  accept(
      sim::state::save(*machine, path, origin.empty() ? sim::config::choose(environment).name : origin, permissions));
}

void remove_state(const std::string& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0) throw CommandError(sim::unusable_file(path, "no machine is up"));
  if (!sim::state::is_state_file(path)) throw CommandError(sim::unusable_file(path, "is no state file of nvmlkit"));
  const auto machine = sim::state::attach(path);  // one of another version has no followers
  if (unlink(path.c_str()) != 0)
    throw CommandError(sim::unusable_file(path, fmt::format("cannot be removed: {}", std::strerror(errno))));
  if (machine) kernel_log::wake(**machine);
}

}  // namespace nvmlkit::cli
