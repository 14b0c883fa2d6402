// Checks of what kernels do with memory, for a sanitizer. Without them no handler looks at anything else than it needs.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/module.hpp"

namespace nvmlkit::ptx {

// What is checked in modules that are made from now on; set once, before the first one.
struct Checking {
  bool memory = false;       // addresses
  bool initialized = false;  // bytes of global memory that nothing has written
  std::uint32_t gap = 0;     // bytes between variables, so that what lies behind one is in none

  bool is_on() const { return memory || initialized; }
};
inline constinit Checking checking;

enum class Touch : std::uint8_t { reads, writes, changes };

// Where a thread stands: the instruction, and those of its callers behind it.
struct Place {
  const Function* function = nullptr;
  std::uint32_t instruction = 0;
  int line = 0;  // of the PTX
};

struct BadAccess {
  enum class Kind : std::uint8_t { out_of_bounds, misaligned, uninitialized };
  Kind kind{};
  Touch touch{};
  Space space = Space::generic;  // the one that the address lies in
  std::uint64_t address = 0;
  std::uint32_t size = 0;  // 0: unknown
  std::uint32_t block[3] = {}, thread[3] = {};
  std::vector<Place> places;
  const Variable* nearest = nullptr;  // of the module, where one lies near
  std::uint64_t nearest_start = 0, nearest_size = 0;
};

// Who hears of it. The driver implements it; many threads call.
class Checks {
 public:
  virtual ~Checks() = default;
  virtual void found(const BadAccess& access) = 0;
};

}  // namespace nvmlkit::ptx
