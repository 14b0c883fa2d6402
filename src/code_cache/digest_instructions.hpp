// SHA-256 by the instructions that processors have for it. A process that starts a kernel reads a megabyte of code.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace nvmlkit::code_cache {

inline constexpr std::size_t kDigestBlock = 64;
using DigestState = std::array<std::uint32_t, 8>;
extern const std::array<std::uint32_t, 64> kDigestRounds;

bool has_digest_instructions();
// As digest_of() of digest.hpp, which chooses.
std::string digest_of(std::string_view bytes, bool by_instructions);
void add_blocks_by_instructions(DigestState& state, const unsigned char* blocks, std::size_t count);

}  // namespace nvmlkit::code_cache
