// Addresses in instructions, as an assembler writes them.
#include "ptx/compile/relocation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <optional>

namespace nvmlkit::ptx {
namespace {

constexpr std::uint64_t kCode = 0x7F0012345000;

using Apply = bool (*)(const CodeAddress&, std::span<std::byte>);

// The word that becomes of another one; nothing where it cannot hold the address.
std::optional<std::uint32_t> word(Apply apply, std::uint32_t type, std::uint32_t before, std::uint64_t address,
                                  std::uint64_t place = kCode) {
  std::array<std::byte, 4> bytes{};
  std::memcpy(bytes.data(), &before, sizeof before);
  if (!apply({type, place, address}, bytes)) return std::nullopt;
  std::uint32_t after = 0;
  std::memcpy(&after, bytes.data(), sizeof after);
  return after;
}
std::optional<std::uint32_t> arm(std::uint32_t type, std::uint32_t before, std::uint64_t address,
                                 std::uint64_t place = kCode) {
  return word(&relocate_aarch64, type, before, address, place);
}

TEST(Relocation, OfBranchesOfArm) {
  constexpr std::uint32_t kCall = 0x94000000, kJump = 0x14000000;  // bl, b
  EXPECT_EQ(arm(R_AARCH64_CALL26, kCall, kCode + 4), 0x94000001);
  EXPECT_EQ(arm(R_AARCH64_CALL26, kCall, kCode - 4), 0x97FFFFFF);
  EXPECT_EQ(arm(R_AARCH64_JUMP26, kJump | 5, kCode), kJump);  // what stood there does not count
  EXPECT_EQ(arm(R_AARCH64_CALL26, kCall, kCode + 0x7FFFFFC), 0x95FFFFFF);
  EXPECT_EQ(arm(R_AARCH64_CALL26, kCall, kCode - 0x8000000), 0x96000000);
  EXPECT_EQ(arm(R_AARCH64_CALL26, kCall, kCode + 0x8000000), std::nullopt);
  EXPECT_EQ(arm(R_AARCH64_CALL26, kCall, kCode - 0x8000004), std::nullopt);
  EXPECT_EQ(arm(R_AARCH64_CALL26, kCall, kCode + 2), std::nullopt);
}

TEST(Relocation, OfPagesOfArm) {
  constexpr std::uint32_t kPages = 0x90000008, kAddress = 0x10000000;  // adrp x8, adr x0
  constexpr auto kOfPages = R_AARCH64_ADR_PREL_PG_HI21;
  EXPECT_EQ(arm(kOfPages, kPages, kCode + 0xFFF, kCode + 8), kPages);
  EXPECT_EQ(arm(kOfPages, kPages, kCode + 0x1000, kCode + 0xFFC), 0xB0000008);
  EXPECT_EQ(arm(kOfPages, kPages, kCode + 0x4000), 0x90000028);
  EXPECT_EQ(arm(kOfPages, kPages, kCode - 1), 0xF0FFFFE8);
  EXPECT_EQ(arm(kOfPages, kPages, kCode + 0xFFFFF000), 0xF07FFFE8);
  EXPECT_EQ(arm(kOfPages, kPages, kCode + 0x100000000), std::nullopt);
  EXPECT_EQ(arm(R_AARCH64_ADR_PREL_LO21, kAddress, kCode + 7), 0x70000020);
  EXPECT_EQ(arm(R_AARCH64_ADR_PREL_LO21, kAddress, kCode - 1), 0x70FFFFE0);
  EXPECT_EQ(arm(R_AARCH64_ADR_PREL_LO21, kAddress, kCode + 0x100000), std::nullopt);
}

TEST(Relocation, OfPlacesInPagesOfArm) {
  const auto address = kCode + 0xAB0;
  EXPECT_EQ(arm(R_AARCH64_ADD_ABS_LO12_NC, 0x91000108, address + 3), 0x912ACD08);     // add x8, x8
  EXPECT_EQ(arm(R_AARCH64_LDST8_ABS_LO12_NC, 0x39400100, address + 3), 0x396ACD00);   // ldrb w0, [x8]
  EXPECT_EQ(arm(R_AARCH64_LDST16_ABS_LO12_NC, 0x79400100, address + 2), 0x79556500);  // ldrh
  EXPECT_EQ(arm(R_AARCH64_LDST32_ABS_LO12_NC, 0xB9400100, address + 4), 0xB94AB500);  // ldr w0
  EXPECT_EQ(arm(R_AARCH64_LDST64_ABS_LO12_NC, 0xF9400100, address + 8), 0xF9455D00);  // ldr x0
  EXPECT_EQ(arm(R_AARCH64_LDST128_ABS_LO12_NC, 0x3DC00100, address), 0x3DC2AD00);     // ldr q0
  EXPECT_EQ(arm(R_AARCH64_LDST128_ABS_LO12_NC, 0x3DC00100, address + 8), std::nullopt);
  EXPECT_EQ(arm(R_AARCH64_LDST16_ABS_LO12_NC, 0x79400100, address + 1), std::nullopt);
}

TEST(Relocation, OfDistances) {
  EXPECT_EQ(arm(R_AARCH64_PREL32, 7, kCode - 2), 0xFFFFFFFE);
  EXPECT_EQ(arm(R_AARCH64_PREL32, 7, kCode + 0x80000000), std::nullopt);
  for (const auto type : {R_X86_64_PC32, R_X86_64_PLT32}) {
    EXPECT_EQ(word(&relocate_x86_64, type, 7, kCode - 4), 0xFFFFFFFC);
    EXPECT_EQ(word(&relocate_x86_64, type, 7, kCode + 0x80000000), std::nullopt);
  }
}

TEST(Relocation, OfWholeAddresses) {
  std::array<std::byte, 8> bytes{};
  std::uint64_t value = 0;
  ASSERT_TRUE(relocate_aarch64({R_AARCH64_ABS64, kCode, kCode + 24}, bytes));
  std::memcpy(&value, bytes.data(), sizeof value);
  EXPECT_EQ(value, kCode + 24);
  ASSERT_TRUE(relocate_aarch64({R_AARCH64_PREL64, kCode, kCode - 24}, bytes));
  std::memcpy(&value, bytes.data(), sizeof value);
  EXPECT_EQ(value, std::uint64_t{0} - 24);
}

// Nor is anything written behind the end.
TEST(Relocation, OfOtherFormsIsNone) {
  EXPECT_EQ(arm(R_AARCH64_ABS64, 0, kCode), std::nullopt);
  EXPECT_EQ(arm(R_AARCH64_PREL64, 0, kCode), std::nullopt);
  EXPECT_EQ(arm(R_AARCH64_ADR_GOT_PAGE, 0x90000008, kCode), std::nullopt);
  EXPECT_EQ(word(&relocate_x86_64, R_X86_64_64, 0, kCode), std::nullopt);
  std::array<std::byte, 3> few{};
  for (const auto type : {R_AARCH64_PREL32, R_AARCH64_CALL26, R_AARCH64_ADR_PREL_PG_HI21, R_AARCH64_ADD_ABS_LO12_NC})
    EXPECT_FALSE(relocate_aarch64({static_cast<std::uint32_t>(type), kCode, kCode}, few));
  EXPECT_FALSE(relocate_x86_64({R_X86_64_PC32, kCode, kCode}, few));
}

}  // namespace
}  // namespace nvmlkit::ptx
