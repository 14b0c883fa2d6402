#include "sim/traits/driver_branch.hpp"

#include <gtest/gtest.h>

#include "../taken.hpp"
#include "sim/config/load.hpp"

namespace nvmlkit::sim {
namespace {

TEST(DriverBranch, VersionsAndBranches) {
  EXPECT_EQ(driver_version_of("550"), "550.163.01");
  EXPECT_EQ(driver_version_of("535.104.05"), "535.104.05");
  for (const char* wrong :
       {"", "abc", "551", "550.", "550..1", ".550", "550.1x", "-550", "550.11111111111111111111111111111111"})
    EXPECT_EQ(driver_version_of(wrong), std::nullopt) << wrong;
  EXPECT_EQ(branch_number("550.163.01"), 550u);
  EXPECT_EQ(branch_number(""), 0u);
  EXPECT_EQ(nearest_branch(545).number, 535u);
  EXPECT_EQ(nearest_branch(999).number, 615u);
  EXPECT_EQ(nearest_branch(470).number, 535u);
}

std::string version_of(const Environment& environment) {
  std::string error;
  const auto machine = taken(load_machine(environment), error);
  if (!machine) return error;
  const auto& system = machine->system();
  return std::string(system.driver_version->view()) + " " + std::string(system.nvml_version->view()) + " " +
         std::string(system.cuda_version->view());
}

TEST(DriverBranch, TheEnvironmentChoosesTheDriver) {
  EXPECT_EQ(version_of({{"NVMLKIT_MACHINE", "h100"}, {"NVMLKIT_DRIVER", "535"}}), "535.261.03 12.535.261.03 12.2");
  EXPECT_EQ(version_of({{"NVMLKIT_MACHINE", "h100"}, {"NVMLKIT_DRIVER", "570.86.15"}}), "570.86.15 12.570.86.15 12.8");
  EXPECT_EQ(version_of({{"NVMLKIT_DRIVER", "555"}, {"MOCK_NVML_DRIVER_VERSION", "550.1"}}),
            "555.58.02 12.555.58.02 12.5");
  EXPECT_NE(version_of({{"NVMLKIT_DRIVER", "5x"}}).find("NVMLKIT_DRIVER: expected a branch (535, 550"),
            std::string::npos);
}

}  // namespace
}  // namespace nvmlkit::sim
