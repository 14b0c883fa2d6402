#include "code_cache/files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <vector>

#include "code_cache/digest.hpp"

namespace nvmlkit::code_cache {
namespace {

constexpr std::uint64_t kUsualSize = std::uint64_t{256} << 20;
constexpr std::size_t kDigest = 64;  // digits, behind the content
constexpr std::time_t kLife = 7 * 24 * 3600;
// Builds that share the folder know their files by it.
constexpr char kPrefix[] = "llvmcache-";

std::string folder_of_environment() {
  // Nothing of the environment counts in a program with other rights than its user's.
  const auto get = [](const char* name) {
    const char* const value = secure_getenv(name);
    return std::string(value ? value : "");
  };
  if (get("CUDA_CACHE_DISABLE") == "1") return {};
  if (const auto path = get("CUDA_CACHE_PATH"); !path.empty()) return path + "/nvmlkit";
  if (const auto path = get("XDG_CACHE_HOME"); path.starts_with("/")) return path + "/nvmlkit/ptx";
  const auto home = get("HOME");
  return home.starts_with("/") ? home + "/.cache/nvmlkit/ptx" : std::string();
}

std::uint64_t most_of_environment() {
  const char* const value = secure_getenv("CUDA_CACHE_MAXSIZE");
  std::uint64_t out = kUsualSize;
  if (value) std::from_chars(value, value + std::strlen(value), out);
  return out;
}

bool is_of_this_user(const struct stat& status) {
  return status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

struct Entry {
  std::string name;
  std::uint64_t bytes;
  std::time_t used;
};

std::vector<Entry> entries_of(int folder) {
  std::vector<Entry> out;
  // A descriptor of its own: closedir closes it.
  const int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const all = again < 0 ? nullptr : fdopendir(again);
  if (!all) {
    if (again >= 0) close(again);
    return out;
  }
  while (const dirent* const entry = readdir(all)) {
    struct stat status {};
    if (!std::string_view(entry->d_name).starts_with(kPrefix) ||
        fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode))
      continue;
    out.push_back({entry->d_name, static_cast<std::uint64_t>(status.st_size), status.st_mtime});
  }
  closedir(all);
  return out;
}

}  // namespace

std::unique_ptr<Files> Files::open() {
  const auto path = folder_of_environment();
  const auto most = most_of_environment();
  if (path.empty() || most == 0) return nullptr;
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return nullptr;
  const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return nullptr;
  struct stat status {};
  if (fstat(folder, &status) != 0 || !is_of_this_user(status)) {
    close(folder);
    return nullptr;
  }
  return std::unique_ptr<Files>(new Files(folder, most));
}

Files::~Files() { close(folder_); }

std::optional<std::string> Files::find(const std::string& name) const {
  const int file = openat(folder_, (kPrefix + name).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  struct stat status {};
  std::string bytes;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && is_of_this_user(status)) {
    bytes.resize(static_cast<std::size_t>(status.st_size));
    const auto got = pread(file, bytes.data(), bytes.size(), 0);
    if (got != status.st_size) bytes.clear();
    futimens(file, nullptr);  // what is used stays longest
  }
  close(file);
  if (bytes.size() <= kDigest) return std::nullopt;
  const std::size_t size = bytes.size() - kDigest;
  if (digest_of(std::string_view(bytes).substr(0, size)) != std::string_view(bytes).substr(size)) return std::nullopt;
  bytes.resize(size);
  return bytes;
}

void Files::prune() const {
  auto all = entries_of(folder_);
  std::sort(all.begin(), all.end(), [](const Entry& left, const Entry& right) { return left.used < right.used; });
  std::uint64_t total = 0;
  for (const Entry& entry : all) total += entry.bytes;
  const std::time_t oldest = std::time(nullptr) - kLife;
  for (const Entry& entry : all) {
    if (total <= most_ && entry.used >= oldest) return;
    unlinkat(folder_, entry.name.c_str(), 0);
    total -= entry.bytes;
  }
}

// A file has its name when it is whole.
void Files::keep(const std::string& name, std::string_view content) {
  if (kept_ == 0) prune();
  const auto made = std::string(kPrefix) + "made-" + std::to_string(getpid()) + "-" + std::to_string(kept_++) + "-" +
                    name.substr(0, 8);
  const int file = openat(folder_, made.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return;
  const bool is_whole = write_all(file, content) && write_all(file, digest_of(content));
  const bool is_closed = close(file) == 0;
  if (!is_whole || !is_closed || renameat(folder_, made.c_str(), folder_, (kPrefix + name).c_str()) != 0)
    unlinkat(folder_, made.c_str(), 0);
}

}  // namespace nvmlkit::code_cache
