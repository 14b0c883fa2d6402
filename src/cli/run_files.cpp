#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

#include "cli/state_files.hpp"

namespace nvmlkit::cli {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kRun = "run-";

// Does the environment of a process of this user name the file? Its children would look for it.
bool is_named_by_a_process(const std::string& path) {
  const std::string wanted = "=" + path + '\0';
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const auto process = entry.path().filename().string();
    if (process.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream stream(entry.path() / "environ", std::ios::binary);
    if (std::string(std::istreambuf_iterator<char>(stream), {}).find(wanted) != std::string::npos) return true;
  }
  return false;
}

bool is_stale(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return false;
  const bool abandoned = flock(fd, LOCK_EX | LOCK_NB) == 0;
  close(fd);
  return abandoned && !is_named_by_a_process(path);
}

}  // namespace

RunFile::RunFile(std::string path) : path_(std::move(path)), fd_(open(path_.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (fd_ >= 0) flock(fd_, LOCK_EX | LOCK_NB);
}

RunFile::RunFile(RunFile&& other) noexcept { *this = std::move(other); }

RunFile& RunFile::operator=(RunFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(fd_, other.fd_);
  return *this;
}

void RunFile::remove() {
  if (path_.empty()) return;
  std::error_code error;
  fs::remove_all(path_, error);
  if (fd_ >= 0) close(fd_);
  path_.clear();
  fd_ = -1;
}

// Two containers that share the folder may have processes of one number.
std::string run_path(const std::string& folder, const std::string& suffix) {
  std::string path = fmt::format("{}/{}{}{}", folder, kRun, getpid(), suffix);
  for (int i = 2; access(path.c_str(), F_OK) == 0; ++i)
    path = fmt::format("{}/{}{}-{}{}", folder, kRun, getpid(), i, suffix);
  return path;
}

void remove_stale_files(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const auto file = entry.path().filename().string();
    // Parts of state files, which are made under the lock that is held now.
    const bool part = file.size() > 7 && file[file.size() - 7] == '.' &&
                      (file.starts_with(kRun) || file.starts_with("machine")) && !file.ends_with(".xml");
    if (part || (file.starts_with(kRun) && is_stale(entry.path()))) fs::remove_all(entry.path(), error);
  }
}

RunFile make_run_state(const std::string& origin) {
  const auto folder = state_folder();
  const FolderLock lock(folder);
  remove_stale_files(folder);
  const auto path = run_path(folder, "");
  make_state(path, origin);
  return RunFile(path);
}

}  // namespace nvmlkit::cli
