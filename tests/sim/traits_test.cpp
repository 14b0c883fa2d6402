// What GPUs have by their architecture, and drivers by their branch.
#include <gtest/gtest.h>

#include <memory>

#include "sim/traits/architecture.hpp"
#include "sim/traits/driver_branch.hpp"

namespace nvmlkit::sim {
namespace {

using model::Architecture;

std::unique_ptr<model::Gpu> gpu(std::uint32_t architecture, std::uint32_t major, std::uint32_t minor) {
  auto out = std::make_unique<model::Gpu>();
  out->architecture = architecture;
  out->compute_capability.major = major;
  out->compute_capability.minor = minor;
  return out;
}

TEST(Traits, BeginWithAnArchitecture) {
  EXPECT_FALSE(has(*gpu(Architecture::turing, 7, 5), Trait::row_remapping));
  EXPECT_TRUE(has(*gpu(Architecture::ampere, 8, 6), Trait::row_remapping));
  EXPECT_TRUE(has(*gpu(Architecture::blackwell, 10, 0), Trait::row_remapping));
}

TEST(Traits, AChipMayHaveMoreOrLessThanItsArchitecture) {
  const auto ga100 = gpu(Architecture::ampere, 8, 0), ga102 = gpu(Architecture::ampere, 8, 6);
  EXPECT_TRUE(has(*ga100, Trait::error_containment));
  EXPECT_FALSE(has(*ga102, Trait::error_containment));
  EXPECT_FALSE(has(*ga100, Trait::average_power));
  EXPECT_TRUE(has(*ga102, Trait::average_power));
  EXPECT_TRUE(has(*gpu(Architecture::hopper, 9, 0), Trait::error_containment));
}

TEST(Traits, AnUnknownArchitectureHasNone) {
  const model::Gpu nothing_said{};
  EXPECT_FALSE(has(nothing_said, Trait::drain));
  EXPECT_FALSE(has(*gpu(Architecture::unknown, 8, 0), Trait::drain));
  EXPECT_FALSE(has(*gpu(Architecture::unknown, 8, 0), Trait::error_containment));
  EXPECT_FALSE(is_from(*gpu(Architecture::unknown, 0, 0), Architecture::kepler));
}

TEST(DriverBranch, SaysTheNewestCuda) {
  const auto cuda = [](std::string_view driver) {
    const auto version = newest_cuda_of(driver);
    return std::to_string(version.major) + "." + std::to_string(version.minor);
  };
  EXPECT_EQ(cuda("550.163.01"), "12.4");
  EXPECT_EQ(cuda("565.57.01"), "12.7");
  EXPECT_EQ(cuda("450.80.02"), "11.0");
  EXPECT_EQ(cuda("537.13"), "12.2");  // of no branch: what the one before has
  EXPECT_EQ(cuda("999.1"), "13.4");
  EXPECT_EQ(cuda("418.40"), "12.4");  // older than all
  EXPECT_EQ(cuda("nothing"), "12.4");
}

}  // namespace
}  // namespace nvmlkit::sim
