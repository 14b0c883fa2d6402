// The caller of a built-in function, as the function sees it.
#pragma once

#include <cstring>
#include <string>

#include "ptx/run/block.hpp"
#include "ptx/run/warp.hpp"

namespace nvmlkit::ptx {

// One lane's call: its arguments, its result, memory as it sees it.
class BuiltinCall {
 public:
  BuiltinCall(const CallSite& site, Warp& warp, const Instruction& i, unsigned lane)
      : site_(site), warp_(warp), i_(i), lane_(lane) {}

  template <class T>
  T argument(std::size_t index) const {
    T out{};
    if (index < site_.arguments.size() && has(site_.arguments[index], sizeof out))
      std::memcpy(&out, warp_.frame().param(lane_) + site_.arguments[index], sizeof out);
    return out;
  }
  template <class T>
  void answer(T value) const {
    if (!site_.results.empty() && has(site_.results[0], sizeof value))
      std::memcpy(warp_.frame().param(lane_) + site_.results[0], &value, sizeof value);
  }
  std::byte* place(std::uint64_t address, std::size_t size) const {
    return warp_.resolve(Space::generic, i_, address, size, lane_);
  }
  const std::byte* bytes(std::uint64_t address, std::size_t size) const { return place(address, size); }
  // A text that ends within its allocation; nothing more after a fault.
  std::string text(std::uint64_t address) const {
    std::string out;
    while (const auto* p = bytes(address++, 1)) {
      if (*p == std::byte{}) return out;
      out += static_cast<char>(*p);
    }
    return {};
  }
  // free() of device code.
  void release(std::uint64_t address) const {
    if (address != 0 && !warp_.block.worker().release(address)) warp_.refuse_free(i_, address, lane_);
  }
  Warp& warp() const { return warp_; }
  unsigned lane() const { return lane_; }
  const Instruction& instruction() const { return i_; }

 private:
  // A program may declare less than the function has.
  bool has(std::size_t offset, std::size_t size) const {
    return offset + size <= warp_.frame().function->frame_param_bytes;
  }

  const CallSite& site_;
  Warp& warp_;
  const Instruction& i_;
  unsigned lane_;
};

struct Builtin {
  std::string_view name;
  void (*work)(const BuiltinCall& call);
  FaultKind then;
};

}  // namespace nvmlkit::ptx
