// A file to copy, read in parts: a driver library has megabytes, and new memory costs more than the copying.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "node/descriptor.hpp"
#include "root/tree.hpp"

namespace nvmlkit::node {

class Source {
 public:
  // Throws std::filesystem::filesystem_error if the file cannot be read, or does not hold the text of the patch once.
  explicit Source(const root::Copy& copy);

  std::size_t size() const { return size_; }

  // The next part of the copy, until the next call; empty at the end. Throws like the constructor.
  std::string_view next();

 private:
  std::size_t fill(std::size_t kept);
  std::size_t find(std::string_view text);
  [[noreturn]] void fail(int reason) const;

  const root::Copy& copy_;
  Descriptor file_;
  std::size_t size_ = 0, at_ = 0;
  std::optional<std::size_t> patched_;
  std::array<char, 65536> part_;
};

}  // namespace nvmlkit::node
