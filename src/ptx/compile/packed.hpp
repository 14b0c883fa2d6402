// Registers of which only the value of lane 0 is kept. Compiled code often knows what the other lanes have more. It
// then leaves the value of lane 0 beside the registers, with a mark that says the rest. The next piece compares marks,
// not 32 values. Who reads all values, as the interpreter does, unpacks them first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace nvmlkit::ptx {

// Marks lie behind the registers of a frame: a word that is not zero if there is a mark, and a word for each 128 bytes
// of registers. Places of registers with 4 or 8 bytes for each lane have one each. Behind the marks are the values of
// lane 0, 8 bytes for each mark. Side by side they fill a few lines of the cache, and not one each.
struct Marks {
  static constexpr std::size_t kBytesOfPlace = 128, kAtOnce = 8, kSize = sizeof(std::uint32_t), kSizeOfFirst = 8;

  static constexpr std::size_t flag(std::size_t register_bytes) { return (register_bytes + 64 + 63) / 64 * 64; }
  static constexpr std::size_t start(std::size_t register_bytes) { return flag(register_bytes) + kAtOnce * kSize; }
  // Whole groups of kAtOnce.
  static constexpr std::size_t count(std::size_t register_bytes) {
    return (register_bytes / kBytesOfPlace + kAtOnce) / kAtOnce * kAtOnce;
  }
  static constexpr std::size_t firsts(std::size_t register_bytes) {
    return start(register_bytes) + count(register_bytes) * kSize;
  }
  static constexpr std::size_t end(std::size_t register_bytes) {
    return firsts(register_bytes) + count(register_bytes) * kSizeOfFirst;
  }
  static constexpr std::size_t number(std::size_t offset) { return offset / kBytesOfPlace; }

  static constexpr bool may_have(unsigned size) { return size == 4 || size == 8; }
};

// All values of one register, whose mark becomes zero. `first` is where the value of lane 0 is.
void unpack_register(std::byte* at, std::uint32_t* mark, const std::byte* first);
void unpack_marked(std::byte* registers, std::uint32_t register_bytes);

// All registers of a frame.
inline void unpack(std::byte* registers, std::uint32_t register_bytes) {
  std::uint32_t is_marked = 0;
  std::memcpy(&is_marked, registers + Marks::flag(register_bytes), sizeof is_marked);
  if (is_marked != 0) unpack_marked(registers, register_bytes);
}

}  // namespace nvmlkit::ptx
