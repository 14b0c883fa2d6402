// The order in which warps try the pieces of code for an instruction.
#include <gtest/gtest.h>

#include <array>
#include <thread>
#include <vector>

#include "ptx/compile/piece.hpp"

namespace nvmlkit::ptx {
namespace {

struct List {
  std::array<PieceNode, 3> nodes;
  PieceList list;

  List() {
    list.add_first(nodes[0]);
    list.add_first(nodes[1]);
    list.add_last(nodes[2]);
  }
  std::vector<std::size_t> order() const {
    std::vector<std::size_t> out;
    for (const auto* node = list.first(); node; node = node->next.load())
      out.push_back(static_cast<std::size_t>(node - nodes.data()));
    return out;
  }
  void count(std::size_t node, unsigned times) {
    for (unsigned k = 0; k < times; ++k) list.count(nodes[node]);
  }
};

using Order = std::vector<std::size_t>;

TEST(PieceList, HasTheLatestFirstAndTheGeneralOneLast) { EXPECT_EQ(List().order(), (Order{1, 0, 2})); }

TEST(PieceList, PutsThePieceFirstThatFitsMost) {
  List list;
  list.count(1, 100);
  list.count(0, 200);
  EXPECT_EQ(list.order(), (Order{1, 0, 2}));
  list.count(0, 50);
  EXPECT_EQ(list.order(), (Order{0, 1, 2}));
  list.count(2, 1000);
  EXPECT_EQ(list.order(), (Order{2, 0, 1}));
}

TEST(PieceList, KeepsItsOrderForWarpsThatComeSometimes) {
  List list;
  for (unsigned k = 0; k < 10000; ++k) {
    list.count(1, 10);
    list.count(0, 1);
  }
  EXPECT_EQ(list.order(), (Order{1, 0, 2}));
}

TEST(PieceList, ForgetsHowOftenOldWarpsFitted) {
  List list;
  list.count(1, 1'000'000);
  list.count(0, 20'000);
  EXPECT_EQ(list.order(), (Order{0, 1, 2}));
}

TEST(PieceList, NamesThePieceThatFitsLeastSinceTheCountBegan) {
  List list;
  list.count(0, 1000);
  EXPECT_EQ(list.list.least_useful(0), &list.nodes[2]);
  list.list.begin_count();
  list.count(0, 7);
  list.count(1, 5);
  list.count(2, 6);
  EXPECT_EQ(list.list.least_useful(4), nullptr);
  EXPECT_EQ(list.list.least_useful(5), &list.nodes[1]);
}

TEST(PieceList, GivesUpAPiece) {
  List list;
  EXPECT_TRUE(list.list.remove(list.nodes[1]));
  EXPECT_EQ(list.order(), (Order{0, 2}));
  EXPECT_FALSE(list.list.remove(list.nodes[1]));
  EXPECT_TRUE(list.list.remove(list.nodes[2]));
  EXPECT_EQ(list.order(), (Order{0}));
  EXPECT_TRUE(list.list.remove(list.nodes[0]));
  EXPECT_EQ(list.list.first(), nullptr);
}

TEST(PieceNode, IsUnfitWhereMostWarpsLeaveItEarly) {
  PieceNode often, sometimes;
  bool is_unfit = false;
  for (unsigned k = 0; k < 1000; ++k) {
    is_unfit |= often.counts(k % 4 != 0);
    EXPECT_FALSE(sometimes.counts(k % 4 == 0));
  }
  EXPECT_TRUE(is_unfit);
}

TEST(PieceList, HasAnEndWhileItChanges) {
  List list;
  std::jthread changes([&](const std::stop_token& stop) {
    for (std::size_t k = 0; !stop.stop_requested(); k = (k + 1) % 3) list.count(k, 200);
  });
  for (unsigned k = 0; k < 20000; ++k) {
    unsigned seen = 0;
    for (const auto* node = list.list.first(); node; node = node->next.load()) ASSERT_LT(++seen, 1000u);
    EXPECT_GT(seen, 0u);
  }
  changes.request_stop();
  changes.join();
  EXPECT_EQ(list.order().size(), 3u);
}

}  // namespace
}  // namespace nvmlkit::ptx
