// Global memory that is one allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ptx/launch.hpp"
#include "ptx/module.hpp"

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

// A launch of `kernel`, by one thread of the host. Its parameter is where the memory begins.
inline ptx::Grid grid_of(const ptx::Module& module, FlatMemory& memory, unsigned blocks, unsigned threads) {
  ptx::Grid grid;
  grid.module = &module;
  grid.entry = module.entry("kernel");
  grid.blocks[0] = blocks;
  grid.threads[0] = threads;
  grid.params = std::as_bytes(std::span(&FlatMemory::kStart, 1));
  grid.memory = &memory;
  grid.threads_of_host = 1;
  return grid;
}

}  // namespace nvmlkit::test
