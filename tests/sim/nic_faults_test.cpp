// Faults of network adapters: words, counters, and the end of a fault.
#include <gtest/gtest.h>

#include <sstream>

#include "../taken.hpp"
#include "sim/config/load.hpp"
#include "sim/state/follow.hpp"
#include "sim/steering/fault.hpp"
#include "sim/steering/nic_fault.hpp"
#include "sim/steering/undo.hpp"
#include "sim/traits/port_counters.hpp"

namespace nvmlkit::sim::steering {
namespace {

class NicFaults : public testing::Test {
 protected:
  static std::vector<std::string> words(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> out;
    for (std::string word; in >> word;) out.push_back(word);
    return out;
  }
  std::string fault(const std::string& text) const { return text_of(inject(*machine_, words(text))); }
  std::string end(const std::string& text) const { return text_of(heal(*machine_, words(text))); }

  std::uint32_t count(std::size_t nic, std::string_view name) const {
    for (const auto& counter : kErrorCounters)
      if (counter.name == name)
        return machine_->host().pcie_topology.nics.span()[nic].state.counts[&counter - kErrorCounters];
    ADD_FAILURE() << name;
    return 0;
  }
  std::vector<std::string> broken() const {
    std::vector<std::string> out;
    for (const auto& nic : broken_nics(*machine_))
      for (const auto& each : nic.faults) out.push_back(nic.name + " " + each);
    return out;
  }

  std::string error_;
  std::unique_ptr<Machine> machine_ = taken(load_machine({{"NVMLKIT_MACHINE", "dgx-h100"}}), error_);
};

using Names = std::vector<std::string>;

TEST_F(NicFaults, APortWithoutALinkCountsItOnce) {
  EXPECT_EQ(broken(), Names());
  EXPECT_EQ(fault("nic=mlx5_3 down"), "");
  EXPECT_EQ(fault("nic=mlx5_3 down"), "");
  EXPECT_EQ(broken(), Names({"mlx5_3 down"}));
  EXPECT_EQ(count(3, "link_downed"), 1U);
  EXPECT_EQ(count(2, "link_downed"), 0U);
  EXPECT_EQ(end("nic=mlx5_3"), "");
  EXPECT_EQ(broken(), Names());
  EXPECT_EQ(count(3, "link_downed"), 1U) << "a counter keeps what it counted";
  EXPECT_EQ(fault("nic=all down"), "");
  EXPECT_EQ(broken().size(), 12U);
  EXPECT_EQ(count(3, "link_downed"), 2U);
  EXPECT_EQ(end("nic=all down"), "");
  EXPECT_EQ(broken(), Names());
}

TEST_F(NicFaults, CountersStopAtTheirLargestValue) {
  EXPECT_EQ(fault("nic=mlx5_0 errors"), "");
  EXPECT_EQ(fault("nic=mlx5_0 errors --count 9"), "");
  EXPECT_EQ(count(0, "symbol_error"), 10U);
  for (int i = 0; i < 2; ++i)
    for (const auto& counter : kErrorCounters)
      EXPECT_EQ(fault("nic=mlx5_1 errors " + std::string(counter.name) + " --count 18446744073709551615"), "");
  EXPECT_EQ(count(1, "symbol_error"), 65535U);
  EXPECT_EQ(count(1, "link_downed"), 255U);
  EXPECT_EQ(count(1, "excessive_buffer_overrun_errors"), 15U);
  EXPECT_EQ(count(1, "rnr_nak_retry_err"), 4294967295U);
  EXPECT_EQ(fault("nic=mlx5_1 down"), "");
  EXPECT_EQ(count(1, "link_downed"), 255U);
  EXPECT_EQ(broken(), Names({"mlx5_1 down"})) << "counted errors are over";
}

TEST_F(NicFaults, WrongWordsChangeNothing) {
  const auto before = state::count_changes(*machine_);
  EXPECT_NE(fault("nic=mlx5_12 down").find("'mlx5_12'"), std::string::npos) << fault("nic=mlx5_12 down");
  for (const auto* wrong :
       {"nic=", "nic=mlx5_0", "nic=mlx5_0 up", "nic=mlx5_0 down now", "nic=mlx5_0 errors symbol_errors",
        "nic=mlx5_0 errors port_rcv_data", "nic=mlx5_0 errors symbol_error 3", "nic=mlx5_0 errors symbol_error --count",
        "nic=mlx5_0 errors --count 0", "nic=mlx5_0 errors --count many", "nic=mlx5_0 errors --count 1 2",
        "nic=all lost"})
    EXPECT_NE(fault(wrong), "") << wrong;
  for (const auto* wrong : {"nic=mlx5_12", "nic=mlx5_0 errors", "nic=mlx5_0 lost", "nic=mlx5_0 down now"})
    EXPECT_NE(end(wrong), "") << wrong;
  EXPECT_EQ(state::count_changes(*machine_), before);
  EXPECT_NE(fault("nic=mlx5_0 fail nvmlInit UNKNOWN"), "");
  const auto small = taken(load_machine({{"NVMLKIT_MACHINE", "t4"}}), error_);
  EXPECT_NE(text_of(inject(*small, words("nic=all down"))).find("no network adapter"), std::string::npos);
}

TEST_F(NicFaults, AScenarioTakesALinkBackAndLeavesErrors) {
  const auto undo = undo_of(*machine_, words("fault nic=mlx5_4 down"));
  ASSERT_EQ(undo.size(), 1U);
  EXPECT_EQ(undo[0].words, Names({"heal", "nic=mlx5_4", "down"}));
  EXPECT_TRUE(undo_of(*machine_, words("fault nic=mlx5_4 errors")).empty());
}

TEST_F(NicFaults, AFollowerSeesTheChange) {
  const auto before = state::count_changes(*machine_);
  EXPECT_EQ(fault("nic=mlx5_0 down"), "");
  EXPECT_NE(state::count_changes(*machine_), before);
}

}  // namespace
}  // namespace nvmlkit::sim::steering
