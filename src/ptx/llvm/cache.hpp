// Machine code that earlier processes made, in files of this user. Its name is a digest of what was compiled, of the
// CPU and of LLVM's version.
#pragma once

#include <llvm/Support/MemoryBuffer.h>

#include <memory>
#include <string>

namespace nvmlkit::ptx::jit {

class CodeCache {
 public:
  // In the folder that the environment names, as CUDA's own cache: CUDA_CACHE_PATH, CUDA_CACHE_DISABLE,
  // CUDA_CACHE_MAXSIZE. Null where it is switched off, or where others may write to the folder.
  static std::unique_ptr<CodeCache> open();
  ~CodeCache();
  CodeCache(const CodeCache&) = delete;
  CodeCache& operator=(const CodeCache&) = delete;

  // Null where there is none, or where the file is not whole.
  std::unique_ptr<llvm::MemoryBuffer> find(const std::string& name) const;
  // Without a word where the disk is full: the code is made again then.
  void keep(const std::string& name, llvm::StringRef code);

 private:
  CodeCache(std::string path, int folder, std::uint64_t most) : path_(std::move(path)), folder_(folder), most_(most) {}

  const std::string path_;
  const int folder_;
  const std::uint64_t most_;  // bytes
  unsigned kept_ = 0;
};

// Of bytes, in hexadecimal digits.
std::string digest_of(llvm::StringRef bytes);

}  // namespace nvmlkit::ptx::jit
