#include "sim/config/document.hpp"

#include <gtest/gtest.h>

#include "sim/model/pci_bus_id.hpp"
#include "sim/problem/names.hpp"
#include "sim/text/scalar.hpp"

namespace nvmlkit::sim::config {
namespace {

TEST(Document, KeepsPlacesAndQuoting) {
  const auto document = *Document::parse("d.yaml", "a: 1\nb:\n  - \"x\"\n  - {c: null}\n");
  const Node root = document.root();
  ASSERT_EQ(root.kind(), Kind::mapping);
  EXPECT_EQ(root.size(), 2u);
  const Node list = root.find("b");
  ASSERT_EQ(list.kind(), Kind::sequence);
  EXPECT_EQ(list.line(), 3u);
  EXPECT_EQ(list.column(), 3u);
  std::vector<Node> items;
  list.items([&](const Node& item) { items.push_back(item); });
  ASSERT_EQ(items.size(), 2u);
  EXPECT_FALSE(items[0].plain());
  EXPECT_EQ(items[0].text(), "x");
  EXPECT_TRUE(items[1].find("c").absent());
  EXPECT_FALSE(root.find("z"));
}

TEST(Document, AbsentSpellings) {
  const auto document = *Document::parse("d.yaml", "[N/A, \"N/A\", null, ~, \"null\", \"\", n/a]");
  std::vector<bool> absent;
  document.root().items([&](const Node& item) { absent.push_back(item.absent()); });
  EXPECT_EQ(absent, (std::vector<bool>{true, true, true, true, false, false, false}));
}

TEST(Document, OwnKeysComeBeforeMergedOnes) {
  const auto document = *Document::parse("d.yaml", "a: &a {x: 1, y: 2}\nb: &b {y: 3, z: 4}\nc: {<<: [*a, *b], x: 9}\n");
  std::string seen;
  document.root().find("c").entries(
      [&](const Node& key, const Node& value) { seen += std::string(key.text()) + std::string(value.text()) + " "; });
  EXPECT_EQ(seen, "x9 y2 z4 ");
}

TEST(Suggest, NearestName) {
  const std::string_view names[] = {"power", "pcie", "pci", "total_bytes", "free_bytes"};
  EXPECT_EQ(nearest("powr", names), "power");
  EXPECT_EQ(nearest("pwoer", names), "power");
  EXPECT_EQ(nearest("PCI", names), "pci");
  EXPECT_EQ(nearest("total", names), "total_bytes");
  EXPECT_EQ(nearest("zebra", names), "");
  EXPECT_EQ(nearest("", names), "");
  EXPECT_EQ(nearest(std::string(100000, 'p'), names), "");
}

TEST(Suggest, QuotedTextsStayOnOneLineAndCutBetweenCharacters) {
  EXPECT_EQ(quote("a\nb"), "'a b'");
  EXPECT_EQ(quote(std::string(59, 'x') + "\xC3\xA9"), "'" + std::string(59, 'x') + "...'");
}

TEST(Scalar, Integers) {
  EXPECT_EQ(text::parse_integer("0x1F")->magnitude, 31u);
  EXPECT_EQ(text::parse_integer("007")->magnitude, 7u);
  EXPECT_TRUE(text::parse_integer("-3")->negative);
  for (const char* bad : {"", "-", "0x", "1_000", "1 ", "0xG", "1e3", "--1", "-0x-1"})
    EXPECT_FALSE(text::parse_integer(bad)) << bad;
}

TEST(PciBusId, Spellings) {
  using model::parse_pci_bus_id;
  using model::PciBusId;
  EXPECT_EQ(parse_pci_bus_id("00000000:1A:00.0"), (PciBusId{0, 0x1A, 0, 0}));
  EXPECT_EQ(parse_pci_bus_id("8:01:1f.7"), (PciBusId{8, 1, 0x1F, 7}));
  EXPECT_EQ(parse_pci_bus_id("1a:00"), (PciBusId{0, 0x1A, 0, 0}));
  for (const char* bad : {"", "1A", ":", "1A:", ":00.0", "0:1A:20.0", "0:1A:00.8", "0:100:00.0", "000000000:1A:00.0",
                          "x:1A:00.0", "0:1A:00.0.0", "0:0:1A:00.0"})
    EXPECT_FALSE(parse_pci_bus_id(bad)) << bad;
  char text[24];
  EXPECT_EQ(model::format_pci_bus_id({0x12345, 0xAB, 1, 2}, 4, text), "00012345:AB:01.2");
  EXPECT_EQ(model::format_pci_bus_id({1, 2, 3, 0}, 4, text), "0001:02:03.0");
}

}  // namespace
}  // namespace nvmlkit::sim::config
