#include "ptx/compile/relocation.hpp"

#include <cstring>

namespace nvmlkit::ptx {
namespace {

constexpr std::uint64_t kPage = 4096;

template <typename T>
bool put(std::span<std::byte> bytes, T value) {
  if (bytes.size() < sizeof value) return false;
  std::memcpy(bytes.data(), &value, sizeof value);
  return true;
}

constexpr bool fits(std::int64_t value, unsigned bits) {
  const auto end = std::int64_t{1} << (bits - 1);
  return value >= -end && value < end;
}

bool put_distance(std::span<std::byte> bytes, std::int64_t distance) {
  return fits(distance, 32) && put(bytes, static_cast<std::uint32_t>(distance));
}

// Some bits of an instruction.
bool put_bits(std::span<std::byte> bytes, std::uint32_t where, std::uint32_t bits) {
  std::uint32_t instruction = 0;
  if (bytes.size() < sizeof instruction) return false;
  std::memcpy(&instruction, bytes.data(), sizeof instruction);
  return put(bytes, (instruction & ~where) | (bits & where));
}

// The distance of an `adr`, or of pages of an `adrp`: the lowest two bits lie above the others.
bool put_address(std::span<std::byte> bytes, std::int64_t distance) {
  constexpr std::uint32_t kLow = 3u << 29, kHigh = 0x7FFFFu << 5;
  if (!fits(distance, 21)) return false;
  const auto bits = static_cast<std::uint32_t>(distance);
  return put_bits(bytes, kLow | kHigh, (bits & 3) << 29 | ((bits >> 2) << 5 & kHigh));
}

// The place in a page, counted in elements of 2^shift bytes.
bool put_in_page(std::span<std::byte> bytes, std::uint64_t address, unsigned shift) {
  const auto offset = address % kPage;
  if (offset % (std::uint64_t{1} << shift) != 0) return false;
  return put_bits(bytes, 0xFFFu << 10, static_cast<std::uint32_t>(offset >> shift) << 10);
}

bool put_branch(std::span<std::byte> bytes, std::int64_t distance) {
  if (!fits(distance, 28) || distance % 4 != 0) return false;
  return put_bits(bytes, 0x3FFFFFF, static_cast<std::uint32_t>(distance >> 2));
}

}  // namespace

bool relocate_x86_64(const CodeAddress& wanted, std::span<std::byte> bytes) {
  if (wanted.type != R_X86_64_PC32 && wanted.type != R_X86_64_PLT32) return false;
  return put_distance(bytes, static_cast<std::int64_t>(wanted.address - wanted.place));
}

bool relocate_aarch64(const CodeAddress& wanted, std::span<std::byte> bytes) {
  const auto [type, place, address] = wanted;
  const auto distance = static_cast<std::int64_t>(address - place);
  switch (type) {
    case R_AARCH64_ABS64:
      return put(bytes, address);
    case R_AARCH64_PREL64:
      return put(bytes, distance);
    case R_AARCH64_PREL32:
      return put_distance(bytes, distance);
    case R_AARCH64_CALL26:
    case R_AARCH64_JUMP26:
      return put_branch(bytes, distance);
    case R_AARCH64_ADR_PREL_LO21:
      return put_address(bytes, distance);
    case R_AARCH64_ADR_PREL_PG_HI21:
      return put_address(bytes, static_cast<std::int64_t>(address / kPage) - static_cast<std::int64_t>(place / kPage));
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC:
      return put_in_page(bytes, address, 0);
    case R_AARCH64_LDST16_ABS_LO12_NC:
      return put_in_page(bytes, address, 1);
    case R_AARCH64_LDST32_ABS_LO12_NC:
      return put_in_page(bytes, address, 2);
    case R_AARCH64_LDST64_ABS_LO12_NC:
      return put_in_page(bytes, address, 3);
    case R_AARCH64_LDST128_ABS_LO12_NC:
      return put_in_page(bytes, address, 4);
    default:
      return false;
  }
}

}  // namespace nvmlkit::ptx
