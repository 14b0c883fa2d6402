// Loads and stores that compiled code does itself.
#pragma once

#include <optional>
#include <vector>

#include "ptx/llvm/needs.hpp"
#include "ptx/llvm/shape.hpp"

namespace nvmlkit::ptx::jit {

struct MemoryAccess {
  bool loads = false;
  Space space = Space::global;  // global (also by generic addresses), shared, local, param or kernel_param
  Type type = Type::none;       // in memory
  std::uint8_t register_size = 0;
  Operand base;  // may be absent
  bool wide_address = true;
  std::uint64_t offset = 0;
  bool is_generic = false;       // by an address that may lie in any window
  bool of_frame = false;         // the address is relative to the local memory of the frame,
  bool of_image = false;         // or to the variables of the module
  Change change = Change::none;  // neither a load nor a store
  bool of_system = false;        // a change that the host sees as one
  Operand before;                // what was there before the change; may be absent
  Operand wanted;                // what is stored where the expected value is found
  bool is_ordered = false;       // others may wait for it, or store what it waits for
  std::vector<Operand> values;   // one, or those of a vector; some may be absent

  unsigned element_size() const { return size_of(type); }
  unsigned size() const { return element_size() * static_cast<unsigned>(values.size()); }
};

// With the window that a known address lies in.
MemoryAccess settled(MemoryAccess access, const Shape& base);

// Of what it loads. Each lane has its own local memory.
Shape shape_loaded(const MemoryAccess& access, const Shape& address);

// The registers that it sets.
std::vector<Operand> targets_of(const MemoryAccess& access);

// An integer among the parameters of the kernel: its value is taken for granted.
bool is_assumed_param(const MemoryAccess& access);

std::optional<MemoryAccess> memory_access(const Function& function, const Needs& needs, std::uint32_t at);

// cp.async of 4, 8 or 16 bytes for each lane.
struct LaneCopy {
  MemoryAccess from, to;
  Operand bytes;  // how many are copied, if that is not all; the rest becomes 0
};
std::optional<LaneCopy> lane_copy(const Function& function, std::uint32_t at);

}  // namespace nvmlkit::ptx::jit
