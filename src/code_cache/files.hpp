// Code that earlier processes compiled, in files of this user. The name of a file is a digest of what was compiled and
// of the compiler.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace nvmlkit::code_cache {

class Files {
 public:
  // In the folder that the environment names, as CUDA's own cache: CUDA_CACHE_PATH, CUDA_CACHE_DISABLE,
  // CUDA_CACHE_MAXSIZE. Null where it is switched off, or where others may write to the folder.
  static std::unique_ptr<Files> open();
  ~Files();
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  // Nothing where there is no such file, or where it is not whole.
  std::optional<std::string> find(const std::string& name) const;
  // Without a word where the disk is full: the code is made again then.
  void keep(const std::string& name, std::string_view content);

 private:
  Files(int folder, std::uint64_t most) : folder_(folder), most_(most) {}
  // Removes what was not used for a week, then the files that were not used for longest, until the rest has `most_`
  // bytes.
  void prune() const;

  const int folder_;
  const std::uint64_t most_;  // bytes
  unsigned kept_ = 0;
};

}  // namespace nvmlkit::code_cache
