// State files for tests.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "../taken.hpp"
#include "sim/config/load.hpp"
#include "sim/state/file.hpp"

namespace nvmlkit::sim {

class StateFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "/state_" + std::to_string(getpid());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name = "machine") const { return folder_ + "/" + name; }

  // A state file of GPUs of the built-in h100.
  std::string make(std::uint32_t gpus, const std::string& name = "machine") const {
    std::string error;
    const auto machine =
        taken(load_machine({{"NVMLKIT_MACHINE", "h100"}, {"NVMLKIT_GPU_COUNT", std::to_string(gpus)}}), error);
    EXPECT_NE(machine, nullptr) << error;
    EXPECT_TRUE(taken(state::save(*machine, path(name), "h100"), error)) << error;
    return path(name);
  }

  static std::unique_ptr<Machine> attach(const std::string& file) {
    std::string error;
    auto machine = taken(state::attach(file), error);
    EXPECT_NE(machine, nullptr) << error;
    return machine;
  }

  static std::string refusal(const std::string& file) {
    std::string error;
    EXPECT_EQ(taken(state::attach(file), error), nullptr);
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
    EXPECT_NE(error.find(file), std::string::npos) << error;
    EXPECT_NE(error.find("nvmlkit up"), std::string::npos) << error;
    return error;
  }

  static std::string bytes_of(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }

 private:
  std::string folder_;
};

}  // namespace nvmlkit::sim
