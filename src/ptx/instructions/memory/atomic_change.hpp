// An atomic change of a number in memory that other threads of the host may change too.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace nvmlkit::ptx {

template <std::size_t size>
using BitsOf =
    std::conditional_t<size == 2, std::uint16_t, std::conditional_t<size == 4, std::uint32_t, std::uint64_t>>;

// T becomes change(T); the bits that were there before.
template <class T, class Change>
BitsOf<sizeof(T)> change_atomically(std::byte* at, Change change) {
  using Bits = BitsOf<sizeof(T)>;
  static_assert(sizeof(Bits) == sizeof(T));
  auto* const p = reinterpret_cast<Bits*>(at);
  Bits old = __atomic_load_n(p, __ATOMIC_RELAXED);
  Bits next;
  do next = std::bit_cast<Bits>(change(std::bit_cast<T>(old)));
  while (!__atomic_compare_exchange_n(p, &old, next, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  return old;
}

}  // namespace nvmlkit::ptx
