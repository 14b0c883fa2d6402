// Calls an exported function by name with arguments that its contract describes, and sees what it wrote.
#pragma once

#include <array>
#include <cstring>
#include <memory>

#include "contract.hpp"

namespace nvmlkit::contract {

inline constexpr int kSuccess = 0;
inline constexpr int kUninitialized = 1;
inline constexpr int kInvalidArgument = 2;
inline constexpr int kNotSupported = 3;
inline constexpr int kNotFound = 6;
inline constexpr int kInsufficientSize = 7;
inline constexpr int kVersionMismatch = 25;

// The library under test, loaded once per process.
class Library {
 public:
  static Library& get();
  void* symbol(const char* name) const;
  int call(const char* name) const;  // a function without arguments

 private:
  Library();
  void* handle_;
};

// One call: arguments are valid unless a test breaks one. Every pointer has a buffer of its own, filled with a pattern
// behind the bytes that the function may touch. The contract outlives the call.
class Call {
 public:
  explicit Call(const Contract& contract);
  explicit Call(Contract&&) = delete;

  void set(std::size_t argument, std::uintptr_t value) { values_[argument] = value; }
  unsigned char* buffer(std::size_t argument) { return buffers_[argument].get(); }
  std::uint32_t number(std::size_t argument) const;  // what stands first in a buffer
  void set_number(std::size_t argument, std::uint32_t number);
  int run();
  // The first argument whose buffer was written beyond its size, or null. `length` = room of buffers without a size.
  const char* overrun(std::size_t length) const;

  static constexpr std::size_t kBuffer = 1 << 17;
  static constexpr std::uint32_t kLength = 96;

 private:
  const Contract& contract_;
  std::array<std::uintptr_t, 6> values_{};
  std::array<std::unique_ptr<unsigned char[]>, 6> buffers_;
};

// The handle of GPU 0; the library must be initialized.
std::uintptr_t device(unsigned int index);
std::uintptr_t first_device();

}  // namespace nvmlkit::contract
