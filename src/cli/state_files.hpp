// The state files of a user: where they lie, their names, who may make and remove them when.
//
//   FOLDER/machine        the machine of `nvmlkit up`
//   FOLDER/machine-NAME   that of `nvmlkit up --name NAME`
//   FOLDER/run-*          files of a `nvmlkit run`, removed at its end
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/state/file.hpp"

namespace nvmlkit::cli {

// The name of the machine that is up without a name.
inline constexpr const char* kDefaultName = "default";

// The state file that NVMLKIT_STATE names.
std::optional<std::string> state_in_environment();

// $XDG_RUNTIME_DIR/nvmlkit or /tmp/nvmlkit-UID, private to this user: made where it is missing, refused where it is
// somebody else's or open to others.
std::string state_folder();

// The state file of a name; refuses what is no name.
std::string state_of_name(const std::string& name);

struct NamedState {
  std::string name, path;
};
// All state files of machines in the folder, the default one first, then by name.
std::vector<NamedState> list_states();
// "default, test-7"; empty when none is up.
std::string list_state_names();

// Held while files of the folder are made or removed. Refuses when another process holds it for a minute.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int fd_;
};

// Locks the user's folder and removes what killed runs left there; null for a file elsewhere.
std::unique_ptr<FolderLock> lock_folder_of(const std::string& path);

// Makes a state file of the machine that the environment asks for. `origin` is kept for people to read; empty: its
// name.
void make_state(const std::string& path, const std::string& origin, const sim::state::Permissions& permissions = {});

// Removes a state file; refuses a file of another kind.
void remove_state(const std::string& path);

// A file or a folder of a `nvmlkit run`. Locked while this lives; one that nobody locks was left behind by a command
// that was killed.
class RunFile {
 public:
  RunFile() = default;
  // Takes a file that was made under the folder's lock, which is still held.
  explicit RunFile(std::string path);
  ~RunFile() { remove(); }
  RunFile(RunFile&& other) noexcept;
  RunFile& operator=(RunFile&& other) noexcept;

  const std::string& path() const { return path_; }
  explicit operator bool() const { return !path_.empty(); }
  void remove();  // before this process ends by a signal

 private:
  std::string path_;
  int fd_ = -1;
};

// A state file of the machine that the environment asks for, for this process's run. `origin` as make_state().
RunFile make_run_state(const std::string& origin);

// A path for a file of this process's run; the folder's lock is held.
std::string run_path(const std::string& folder, const std::string& suffix);

// Removes what runs that were killed left behind, unless a process still has it in its environment. The folder's lock
// is held.
void remove_stale_files(const std::string& folder);

}  // namespace nvmlkit::cli
