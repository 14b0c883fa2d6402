// What an instruction of the host does at an address that it may not use yet, in a handler of signals.
#pragma once

#include <cstdint>

namespace nvmlkit::cuda::sanitizer {

struct HostInstruction {
  const std::uint8_t* code = nullptr;
  bool writes = false;
  std::uint64_t size = 0;    // bytes, as far as its form tells
  bool is_repeated = false;  // a string instruction: `size` is of all that is left of it

  // `context` is the third argument of a handler.
  static HostInstruction of(void* context);
};

// The program goes on with this instruction alone and then gets SIGTRAP. False: the processor cannot do so.
bool step_one(void* context);
void go_on(void* context);

}  // namespace nvmlkit::cuda::sanitizer
