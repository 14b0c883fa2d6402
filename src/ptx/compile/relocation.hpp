// How machine code gets the addresses of other places in its object.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace nvmlkit::ptx {

// A place in code or among constants that holds the address of another one, in a form of the processor.
struct CodeAddress {
  std::uint32_t type = 0;     // a number of the processor's
  std::uint64_t place = 0;    // address of the place
  std::uint64_t address = 0;  // what it holds
};

// Writes it to the bytes from the place on. False: the form is none of these, or does not hold the address.
bool relocate_x86_64(const CodeAddress& wanted, std::span<std::byte> bytes);
bool relocate_aarch64(const CodeAddress& wanted, std::span<std::byte> bytes);

// Of this host. EM_NONE: it has none.
#if defined(__x86_64__)
inline constexpr std::uint16_t kHostMachine = EM_X86_64;
#elif defined(__aarch64__)
inline constexpr std::uint16_t kHostMachine = EM_AARCH64;
#else
inline constexpr std::uint16_t kHostMachine = EM_NONE;
#endif

inline bool relocate_on_host(const CodeAddress& wanted, std::span<std::byte> bytes) {
  return kHostMachine == EM_AARCH64 ? relocate_aarch64(wanted, bytes) : relocate_x86_64(wanted, bytes);
}

}  // namespace nvmlkit::ptx
