// What a kernel sees of memory, and what may go wrong with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace nvmlkit::ptx {

// An allocation: addresses as programs know them, and where its bytes lie.
struct Region {
  std::uint64_t start = 0;
  std::uint64_t size = 0;
  std::byte* bytes = nullptr;
  std::shared_ptr<const void> holder;  // the bytes stay while it lives
};

// Memory of the device and what of the host the device may reach. The driver implements it.
class GlobalMemory {
 public:
  virtual ~GlobalMemory() = default;
  // False where nothing is.
  virtual bool find(std::uint64_t address, Region& region) = 0;
  // The heap of device code; 0 when it is full.
  virtual std::uint64_t allocate(std::uint64_t size) = 0;
  virtual void release(std::uint64_t address) = 0;
};

enum class FaultKind : std::uint8_t {
  none,
  illegal_address,
  misaligned_address,
  illegal_instruction,  // a jump to what is no function
  stack_overflow,
  assertion,
  trap,
  deadlock,  // every thread waits at a barrier that the others never reach
};

}  // namespace nvmlkit::ptx
