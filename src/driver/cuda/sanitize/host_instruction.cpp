#include "driver/cuda/sanitize/host_instruction.hpp"

#include <ucontext.h>

#include <cstring>

namespace nvmlkit::cuda::sanitizer {
namespace {

#if defined(__x86_64__)

constexpr greg_t kTrapFlag = 0x100, kWriteOfPage = 2;

struct Prefixes {
  bool is_16 = false, is_f2 = false, is_f3 = false, is_wide = false;
};

// VEX and EVEX: 16, 32 or 64 bytes, or one number. `mandatory` is the prefix that they contain.
std::uint64_t size_of_vector(unsigned length, unsigned mandatory, std::uint8_t code, bool is_wide) {
  const bool is_move_of_one = code == 0x10 || code == 0x11 || (code >= 0x51 && code <= 0x5F);
  if (is_move_of_one && mandatory >= 2) return mandatory == 2 ? 4 : 8;
  if (code == 0x6E || (code == 0x7E && mandatory == 1)) return is_wide ? 8 : 4;
  if (code == 0xD6 || (code == 0x7E && mandatory == 2)) return 8;
  return std::uint64_t{16} << length;
}

// Two bytes, the first of them 0F.
std::uint64_t size_of_second_map(const Prefixes& p, std::uint8_t code) {
  if (code == 0xB6 || code == 0xBE || code == 0xB0 || code == 0xC0 || (code & 0xF0) == 0x90) return 1;
  if (code == 0xB7 || code == 0xBF) return 2;
  if (code == 0x2A || code == 0x2D || code == 0x2C) return p.is_f3 ? 4 : 8;
  if (code == 0x12 || code == 0x13 || code == 0x16 || code == 0x17) return 8;
  if (code >= 0x10 && code <= 0x7F && (code < 0x40 || code > 0x4F))
    return size_of_vector(0, p.is_f3 ? 2 : p.is_f2 ? 3 : p.is_16 ? 1 : 0, code, p.is_wide);
  if (code == 0xD6) return 8;
  if (code >= 0xD0) return 16;
  return p.is_wide ? 8 : p.is_16 ? 2 : 4;
}

bool is_string(std::uint8_t code) { return code == 0xA4 || code == 0xA5 || code == 0xAA || code == 0xAB; }

// Of one byte. The lowest bit of most says that they are of more than a byte.
std::uint64_t size_of_first_map(const Prefixes& p, std::uint8_t code) {
  const std::uint64_t whole = p.is_wide ? 8 : p.is_16 ? 2 : 4;
  if (code == 0x63 || code == 0x69 || code == 0x6B) return code == 0x63 ? 4 : whole;
  if (code == 0xFF && !p.is_16) return p.is_wide ? 8 : 4;
  if (code >= 0xD8 && code <= 0xDF) return code == 0xDD || code == 0xDC ? 8 : 4;  // of the old floating-point unit
  if (code == 0x80 || code == 0x82 || code == 0xC0 || code == 0xD0 || code == 0xD2) return 1;
  return (code & 1) == 0 && code != 0x8C && code != 0x8E ? 1 : whole;
}

void decode(HostInstruction& out, greg_t count) {
  const auto* at = out.code;
  Prefixes p;
  for (;; ++at) {
    if (*at == 0x66) p.is_16 = true;
    if (*at == 0xF2) p.is_f2 = true;
    if (*at == 0xF3) p.is_f3 = true;
    const bool is_prefix = *at == 0x66 || *at == 0xF2 || *at == 0xF3 || *at == 0xF0 || *at == 0x2E || *at == 0x3E ||
                           *at == 0x26 || *at == 0x36 || *at == 0x64 || *at == 0x65 || *at == 0x67;
    if (!is_prefix) break;
  }
  if ((*at & 0xF0) == 0x40) p.is_wide = (*at++ & 8) != 0;
  if (*at == 0xC5) {
    out.size = size_of_vector(at[1] >> 2 & 1, at[1] & 3, at[2], false);
  } else if (*at == 0xC4) {
    const unsigned length = at[2] >> 2 & 1;
    out.size = (at[1] & 31) == 1 ? size_of_vector(length, at[2] & 3, at[3], at[2] >> 7) : std::uint64_t{16} << length;
  } else if (*at == 0x62) {
    out.size = size_of_vector(at[3] >> 5 & 3, at[2] & 3, at[4], at[2] >> 7);
  } else if (*at == 0x0F) {
    out.size = size_of_second_map(p, at[1]);
  } else {
    out.size = size_of_first_map(p, *at);
    out.is_repeated = is_string(*at) && (p.is_f3 || p.is_f2);
    if (out.is_repeated) out.size *= static_cast<std::uint64_t>(count);
  }
}

#endif

}  // namespace

#if defined(__x86_64__)

HostInstruction HostInstruction::of(void* context) {
  const auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  HostInstruction out;
  const auto address = registers[REG_RIP];
  std::memcpy(&out.code, &address, sizeof out.code);
  out.writes = (registers[REG_ERR] & kWriteOfPage) != 0;
  decode(out, registers[REG_RCX]);
  return out;
}

bool step_one(void* context) {
  static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] |= kTrapFlag;
  return true;
}

void go_on(void* context) { static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] &= ~kTrapFlag; }

#elif defined(__aarch64__)

// The system hands over why the access was refused. Its bit 6 says that it was a write.
HostInstruction HostInstruction::of(void* context) {
  constexpr std::uint32_t kReason = 0x45535201;
  const auto& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
  HostInstruction out;
  std::memcpy(&out.code, &machine.pc, sizeof out.code);
  std::uint32_t word = 0, head[2] = {};
  std::memcpy(&word, out.code, sizeof word);
  out.size = (word & 0x3A000000) == 0x38000000 && (word & 0x04000000) == 0 ? std::uint64_t{1} << (word >> 30) : 4;
  for (std::size_t at = 0; at + 16 <= sizeof machine.__reserved; at += head[1]) {
    std::memcpy(head, &machine.__reserved[at], sizeof head);
    if (head[0] == 0 || head[1] == 0) break;
    if (head[0] != kReason) continue;
    std::uint64_t reason = 0;
    std::memcpy(&reason, &machine.__reserved[at + sizeof head], sizeof reason);
    out.writes = (reason & 0x40) != 0;
  }
  return out;
}

bool step_one(void*) { return false; }
void go_on(void*) {}

#endif

}  // namespace nvmlkit::cuda::sanitizer
