// The difference of two trees, and its order.
#include "node/compare.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace nvmlkit::node {
namespace {

using root::Link;
using root::Node;
using root::Text;
using Paths = std::vector<std::string>;

const root::Tree kTree{{"dev/nvidia0", Node{195, 0, 0666}},
                       {"etc/cdi/nvidia.yaml", Text{"devices"}},
                       {"nvidia-cdi.json", Text{"{}"}},
                       {"sys/bus/pci/devices/0000:01:00.0", Link{"../../../devices/0000:01:00.0"}},
                       {"sys/devices/0000:01:00.0/vendor", Text{"0x10de\n"}}};

TEST(Compare, FindsNothingInEqualTrees) {
  const auto difference = compare(kTree, kTree);
  EXPECT_EQ(difference.put, Paths{});
  EXPECT_EQ(difference.erase, Paths{});
}

TEST(Compare, PutsWhatIsNamedBeforeWhatNamesIt) {
  EXPECT_EQ(compare(kTree, {}).put,
            (Paths{"dev/nvidia0", "sys/devices/0000:01:00.0/vendor", "sys/bus/pci/devices/0000:01:00.0",
                   "etc/cdi/nvidia.yaml", "nvidia-cdi.json"}));
}

TEST(Compare, ErasesLinksBeforeWhatTheyLeadTo) {
  const auto erase = compare({}, kTree).erase;
  ASSERT_EQ(erase.size(), kTree.size());
  EXPECT_EQ(erase.front(), "sys/bus/pci/devices/0000:01:00.0");
}

TEST(Compare, EveryPartOfAnEntryCounts) {
  const std::vector<std::pair<std::string, root::Entry>> changed{
      {"dev/nvidia0", Node{195, 1, 0666}}, {"dev/nvidia0", Node{511, 0, 0666}}, {"dev/nvidia0", Node{195, 0, 0660}},
      {"dev/nvidia0", Text{"", 0666}},     {"nvidia-cdi.json", Text{"{ }"}},    {"nvidia-cdi.json", Text{"{}", 0644}},
      {"nvidia-cdi.json", Link{"{}"}}};
  for (const auto& [path, entry] : changed) {
    auto there = kTree;
    there[path] = entry;
    const auto difference = compare(kTree, there);
    EXPECT_EQ(difference.put, Paths{path});
    EXPECT_EQ(difference.erase, Paths{});
  }
}

}  // namespace
}  // namespace nvmlkit::node
