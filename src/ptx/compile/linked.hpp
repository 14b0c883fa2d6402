// Machine code of objects that the compiler left on disk, ready to be executed without the compiler.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ptx/compile/context.hpp"
#include "ptx/compile/relocation.hpp"

namespace nvmlkit::ptx {

// Of other processors, plans are of no use: LLVM loads their objects.
inline constexpr bool kCanLink = kHostMachine != EM_NONE;

class LinkedCode {
 public:
  // One place for all objects. Null in place of one that is none, that is not for this processor, or that refers to
  // anything outside of it.
  static std::unique_ptr<LinkedCode> of(std::span<const std::optional<std::string>> objects);
  ~LinkedCode();
  LinkedCode(const LinkedCode&) = delete;
  LinkedCode& operator=(const LinkedCode&) = delete;

  const std::vector<Code>& codes() const { return codes_; }

 private:
  LinkedCode(std::byte* bytes, std::size_t size) : bytes_(bytes), size_(size) {}

  std::byte* const bytes_;
  const std::size_t size_;
  std::vector<Code> codes_;
};

}  // namespace nvmlkit::ptx
