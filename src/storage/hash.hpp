// FNV-1a, for comparisons only; no hash leaves the machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace nvmlkit::storage {

class Hash {
 public:
  void bytes(const void* data, std::size_t size) {
    const auto* at = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < size; ++i) value_ = (value_ ^ at[i]) * 0x100000001b3ULL;
  }
  template <class T>
  requires(std::is_integral_v<T> || std::is_enum_v<T>) void add(T value) { bytes(&value, sizeof value); }
  void add(std::string_view text) {
    add(text.size());
    bytes(text.data(), text.size());
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

}  // namespace nvmlkit::storage
