// Global memory that is one allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ptx/launch.hpp"

namespace nvmlkit::test {

class FlatMemory final : public ptx::GlobalMemory {
 public:
  static constexpr std::uint64_t kStart = std::uint64_t{1} << 32;

  // Of bytes that outlive it.
  explicit FlatMemory(std::span<std::byte> bytes) : bytes_(bytes) {}

  bool find(std::uint64_t address, ptx::Region& region) override {
    region = {kStart, bytes_.size(), bytes_.data(), nullptr};
    return address - kStart < bytes_.size();
  }
  std::uint64_t allocate(std::uint64_t) override { return 0; }
  bool release(std::uint64_t) override { return true; }

 private:
  std::span<std::byte> bytes_;
};

}  // namespace nvmlkit::test
