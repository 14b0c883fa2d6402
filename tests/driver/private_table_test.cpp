// nvidia-smi's private table: its size, its null entries, what its slots answer.
#include <cstring>
#include <set>

#include "loaded.hpp"

namespace nvmlkit::driver_test {
namespace {

constexpr unsigned char kId[16] = {0xc4, 0xfe, 0x3e, 0x6c, 0xc9, 0x8f, 0x6c, 0x4e,
                                   0xa3, 0x27, 0xee, 0x69, 0x6e, 0x12, 0xf7, 0xc4};

class PrivateTable : public Loaded {
 protected:
  template <class... Args>
  static int slot(std::size_t number, Args... args) {
    const void* table = nullptr;
    EXPECT_EQ(call("nvmlInternalGetExportTable", &table, static_cast<const void*>(kId)), NVML_SUCCESS);
    void* entry = nullptr;
    std::memcpy(&entry, static_cast<const unsigned char*>(table) + number * 8, sizeof entry);
    return entry ? reinterpret_cast<int (*)(Args...)>(entry)(args...) : -1;
  }
};

TEST_F(PrivateTable, UnknownIdIsRefused) {
  const void* table = nullptr;
  const unsigned char other[16] = {};
  EXPECT_EQ(call("nvmlInternalGetExportTable", &table, static_cast<const void*>(other)), NVML_ERROR_INVALID_ARGUMENT);
}

TEST_F(PrivateTable, HasTheSizeOfTheNewestBranch) {
  const void* table = nullptr;
  ASSERT_EQ(call("nvmlInternalGetExportTable", &table, static_cast<const void*>(kId)), NVML_SUCCESS);
  std::size_t size = 0;
  std::memcpy(&size, table, sizeof size);
  EXPECT_EQ(size, 2040U);
}

// The sizes are those of all three branches.
TEST_F(PrivateTable, OfNvidiaDebugdump) {
  start("h100");
  constexpr unsigned char kController[16] = {0x9e, 0x8c, 0x7a, 0x58, 0x12, 0x3a, 0xb5, 0x4f,
                                             0xb9, 0xe3, 0xf4, 0xba, 0x39, 0x45, 0xdd, 0x5f};
  constexpr unsigned char kDump[16] = {0xb8, 0x1d, 0xd7, 0x30, 0xe4, 0xd2, 0x81, 0x44,
                                       0x9c, 0xd0, 0xe1, 0xde, 0x35, 0x04, 0xfa, 0x27};
  const std::uintptr_t* words = nullptr;
  ASSERT_EQ(
      call("nvmlInternalGetExportTable", reinterpret_cast<const void**>(&words), static_cast<const void*>(kController)),
      NVML_SUCCESS);
  ASSERT_EQ(words[0], 16U);
  unsigned int has = 7;
  const auto has_controller = reinterpret_cast<int (*)(nvmlDevice_t, unsigned int*)>(words[1]);
  EXPECT_EQ(has_controller(device(), &has), NVML_SUCCESS);
  EXPECT_EQ(has, 0U);
  EXPECT_EQ(has_controller(nullptr, &has), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(has_controller(device(), nullptr), NVML_ERROR_INVALID_ARGUMENT);

  ASSERT_EQ(call("nvmlInternalGetExportTable", reinterpret_cast<const void**>(&words), static_cast<const void*>(kDump)),
            NVML_SUCCESS);
  ASSERT_EQ(words[0], 64U);
  for (std::size_t slot = 1; slot < 8; ++slot)
    EXPECT_EQ(reinterpret_cast<int (*)()>(words[slot])(), NVML_ERROR_NOT_SUPPORTED) << slot;
}

// Nulls, and arguments that are no handle and a scalar, which a slot must not follow.
TEST_F(PrivateTable, EverySlotSurvivesWrongArguments) {
  start("h100");
  const std::set<std::size_t> take_no_handle{12, 23, 75, 81, 168, 169, 182, 183, 184};  // something else comes first
  for (std::size_t number = 1; number < 255; ++number) {
    slot(number, std::uintptr_t{0}, std::uintptr_t{0}, std::uintptr_t{0}, std::uintptr_t{0}, std::uintptr_t{0});
    if (!take_no_handle.count(number))
      slot(number, std::uintptr_t{1}, std::uintptr_t{0x20803601}, std::uintptr_t{0x48}, std::uintptr_t{0},
           std::uintptr_t{0});
  }
}

// What nvidia-smi passes where nobody knows what the slot does: nothing may be written through it.
TEST_F(PrivateTable, UnknownSlotsWriteNothing) {
  start("h100");
  for (const std::size_t number : {32, 145, 181, 197, 208, 232, 239}) {
    std::uint64_t out[8];
    std::memset(out, 0xA5, sizeof out);
    EXPECT_EQ(slot(number, device(), &out[0], &out[1], &out[2], &out[3]), NVML_ERROR_NOT_SUPPORTED) << number;
    for (const auto word : out) EXPECT_EQ(word, 0xA5A5A5A5A5A5A5A5U) << number;
  }
}

TEST_F(PrivateTable, NumaNodesAreThoseOfTheTree) {
  start("dgx-a100");
  unsigned long long nodes[20];
  std::memset(nodes, 0xA5, sizeof nodes);
  EXPECT_EQ(slot(223, device(4), 20U, &nodes[0]), NVML_SUCCESS);
  EXPECT_EQ(nodes[0], 1ULL << 7);
  for (std::size_t i = 1; i < 20; ++i) EXPECT_EQ(nodes[i], 0ULL);
}

TEST_F(PrivateTable, BusIdsAgreeWithLocations) {
  start("h100");
  for (unsigned int i = 0; i < 8; ++i) {
    char text[0x22] = {};
    ASSERT_EQ(slot(81, i, static_cast<char*>(text), 0x22U), 0);
    unsigned int parsed[4] = {};
    unsigned int located[3] = {};
    ASSERT_EQ(slot(12, static_cast<const char*>(text), &parsed[0], &parsed[1], &parsed[2], &parsed[3]), 0);
    ASSERT_EQ(slot(75, i, &located[0], &located[1], &located[2]), 0);
    EXPECT_EQ(parsed[0], located[0]);
    EXPECT_EQ(parsed[1], located[1]);
    EXPECT_EQ(parsed[2], located[2]);
    EXPECT_EQ(parsed[3], 0U);
  }
  EXPECT_EQ(slot(81, 8U, static_cast<char*>(nullptr), 0x22U), NVML_ERROR_INVALID_ARGUMENT);
}

TEST_F(PrivateTable, MonitoredProductsMayBeMonitored) {
  start("h100");
  unsigned int monitored = 0;
  EXPECT_EQ(slot(72, device(), &monitored), 0);
  EXPECT_EQ(monitored, 1U);
}

TEST_F(PrivateTable, WhatAGpuLacksIsNotSupported) {
  start("version: \"1.0\"\nbase: h100\ndevice_defaults:\n  thermal: {tlimit_c: N/A}\n");
  int margin = 77;
  EXPECT_EQ(slot(240, device(), &margin), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(margin, 77);
  EXPECT_EQ(slot(209, device(), &margin), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(margin, 77);
}

}  // namespace
}  // namespace nvmlkit::driver_test
