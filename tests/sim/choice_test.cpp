// The key of the machine that an environment chooses.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "sim/config/load.hpp"

namespace nvmlkit::sim {
namespace {

class ChosenFile {
 public:
  explicit ChosenFile(const std::string& text)
      : path_(testing::TempDir() + "nvmlkit_choice_test_" + std::to_string(getpid()) + ".yaml") {
    write(text);
  }
  ~ChosenFile() { std::filesystem::remove(path_); }
  void write(const std::string& text) const { std::ofstream(path_) << text; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::uint64_t key_of(const Environment& environment) { return machine_key(environment).value(); }

TEST(MachineKey, ChangesWithEachSetting) {
  const auto key = key_of({});
  EXPECT_EQ(key_of({}), key);
  EXPECT_EQ(key_of({{"NVMLKIT_MACHINE", "a100"}}), key);
  EXPECT_EQ(key_of({{"NVMLKIT_MACHINE", ""}}), key);
  for (const char* variable :
       {"NVMLKIT_STATE", "NVMLKIT_MACHINE", "MOCK_NVML_CONFIG", "NVMLKIT_GPU_COUNT", "NVMLKIT_DRIVER", "NVMLKIT_SEED",
        "NVMLKIT_TIME", "MOCK_NVML_NUM_DEVICES", "MOCK_NVML_DRIVER_VERSION"}) {
    EXPECT_NE(key_of({{variable, "2"}}), key) << variable;
    EXPECT_NE(key_of({{variable, "2"}}), key_of({{variable, "3"}})) << variable;
  }
}

TEST(MachineKey, IgnoresVariablesThatAreOverridden) {
  const auto same = [](const char* ignored, std::pair<const std::string, std::string> chosen) {
    return key_of({chosen, {ignored, "5"}}) == key_of({chosen});
  };
  for (const char* variable : {"NVMLKIT_MACHINE", "NVMLKIT_GPU_COUNT", "NVMLKIT_DRIVER", "NVMLKIT_TIME"})
    EXPECT_TRUE(same(variable, {"NVMLKIT_STATE", "/none"})) << variable;
  EXPECT_TRUE(same("MOCK_NVML_CONFIG", {"NVMLKIT_MACHINE", "t4"}));
  EXPECT_TRUE(same("MOCK_NVML_NUM_DEVICES", {"NVMLKIT_GPU_COUNT", "2"}));
  EXPECT_TRUE(same("MOCK_NVML_NUM_DEVICES", {"MOCK_NVML_CONFIG", "/none"}));
  EXPECT_TRUE(same("MOCK_NVML_DRIVER_VERSION", {"NVMLKIT_DRIVER", "580"}));
  EXPECT_FALSE(same("NVMLKIT_GPU_COUNT", {"NVMLKIT_MACHINE", "t4"}));
}

TEST(MachineKey, ChangesWithTheContentsOfAMachineFile) {
  const ChosenFile file("device_defaults: {name: One}\n");
  const Environment environment{{"NVMLKIT_MACHINE", file.path()}};
  const auto key = key_of(environment);
  EXPECT_EQ(key_of(environment), key);
  file.write("device_defaults: {name: Another}\n");
  EXPECT_NE(key_of(environment), key);
}

TEST(MachineKey, OfAStateFileIsThatOfTheFileAndNotOfItsContents) {
  const ChosenFile file("one");
  const Environment environment{{"NVMLKIT_STATE", file.path()}};
  const auto key = key_of(environment);
  file.write("another");
  EXPECT_EQ(key_of(environment), key);
  std::filesystem::rename(file.path(), file.path() + ".old");
  file.write("one");
  EXPECT_NE(key_of(environment), key);
  std::filesystem::remove(file.path() + ".old");
}

}  // namespace
}  // namespace nvmlkit::sim
