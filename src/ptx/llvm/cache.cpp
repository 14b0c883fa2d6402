#include "ptx/llvm/cache.hpp"

#include <fcntl.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/CachePruning.h>
#include <llvm/Support/SHA256.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace nvmlkit::ptx::jit {
namespace {

constexpr std::uint64_t kUsualSize = std::uint64_t{256} << 20;
constexpr std::size_t kDigest = 64;  // digits, behind the code
// What LLVM's pruning looks at.
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

bool write_all(int file, llvm::StringRef bytes) {
  while (!bytes.empty()) {
    const auto written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes = bytes.drop_front(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

std::string digest_of(llvm::StringRef bytes) {
  return llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(bytes)), /*LowerCase=*/true);
}

std::unique_ptr<CodeCache> CodeCache::open() {
  auto path = folder_of_environment();
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
  return std::unique_ptr<CodeCache>(new CodeCache(std::move(path), folder, most));
}

CodeCache::~CodeCache() { close(folder_); }

std::unique_ptr<llvm::MemoryBuffer> CodeCache::find(const std::string& name) const {
  const int file = openat(folder_, (kPrefix + name).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return nullptr;
  struct stat status {};
  std::string bytes;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && is_of_this_user(status)) {
    bytes.resize(static_cast<std::size_t>(status.st_size));
    const auto got = pread(file, bytes.data(), bytes.size(), 0);
    if (got != status.st_size) bytes.clear();
    futimens(file, nullptr);  // what is used stays longest
  }
  close(file);
  if (bytes.size() <= kDigest) return nullptr;
  const auto code = llvm::StringRef(bytes).drop_back(kDigest);
  if (digest_of(code) != llvm::StringRef(bytes).take_back(kDigest)) return nullptr;
  return llvm::MemoryBuffer::getMemBufferCopy(code, name);
}

// A file has its name when it is whole.
void CodeCache::keep(const std::string& name, llvm::StringRef code) {
  if (kept_ == 0) {
    llvm::CachePruningPolicy policy;
    policy.MaxSizeBytes = most_;
    llvm::pruneCache(path_, policy);
  }
  const auto made = std::string(kPrefix) + "made-" + std::to_string(getpid()) + "-" + std::to_string(kept_++);
  const int file = openat(folder_, made.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return;
  const bool is_whole = write_all(file, code) && write_all(file, digest_of(code));
  const bool is_closed = close(file) == 0;
  if (!is_whole || !is_closed || renameat(folder_, made.c_str(), folder_, (kPrefix + name).c_str()) != 0)
    unlinkat(folder_, made.c_str(), 0);
}

}  // namespace nvmlkit::ptx::jit
