// Whether GPUs are awake, in a sysfs of the test's own.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nvmlkit/runtime_status.hpp>

namespace nvmlkit::nvml {
namespace {

class RuntimeStatusOf : public testing::Test {
 protected:
  RuntimeStatusOf() : sysfs_(testing::TempDir() + "sysfs_" + std::to_string(getpid())) {}
  ~RuntimeStatusOf() override { std::filesystem::remove_all(sysfs_); }

  void put(const std::string& device, const std::string& status) const {
    const std::string power = sysfs_ + "/bus/pci/devices/" + device + "/power";
    std::filesystem::create_directories(power);
    if (!status.empty()) std::ofstream(power + "/runtime_status") << status << "\n";
  }

  std::string sysfs_;
};

TEST_F(RuntimeStatusOf, EveryWordOfTheKernel) {
  for (const char* word : {"active", "suspended", "suspending", "resuming", "error", "unsupported"}) {
    put("0000:65:00.0", word);
    EXPECT_STREQ(to_string(runtime_status("0000:65:00.0", sysfs_).value()), word);
  }
}

TEST_F(RuntimeStatusOf, AddressesAsNvmlWritesThem) {
  put("0000:ca:00.0", "suspended");
  put("0001:0a:1f.7", "active");
  for (const char* text : {"0000:ca:00.0", "00000000:CA:00.0", "0:ca:0.0"})
    EXPECT_EQ(runtime_status(text, sysfs_).value(), RuntimeStatus::suspended) << text;
  EXPECT_EQ(runtime_status("00000001:0A:1F.7", sysfs_).value(), RuntimeStatus::active);
}

TEST_F(RuntimeStatusOf, WhatCannotBeToldIsAnError) {
  put("0000:65:00.0", "");
  put("0000:66:00.0", "dreaming");
  for (const char* text : {"", "65:00", "0000:65:00.0.0", "0000:65:20.0", "0000:65:00.8", "GPU-1", "0000:65:00.0 "})
    EXPECT_EQ(runtime_status(text, sysfs_).error(), Errc::invalid_argument) << text;
  EXPECT_EQ(runtime_status("0000:67:00.0", sysfs_).error(), Errc::not_found);
  EXPECT_EQ(runtime_status("0000:65:00.0", sysfs_).error(), Errc::not_supported);
  EXPECT_EQ(runtime_status("0000:66:00.0", sysfs_).error(), Errc::not_supported);
}

}  // namespace
}  // namespace nvmlkit::nvml
