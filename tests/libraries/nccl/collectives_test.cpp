// Collectives of one process against plain sums, over random sizes, types, operators, roots and numbers of ranks.
#include <random>

#include "numbers.hpp"
#include "ranks.hpp"

namespace nvmlkit::library_test {
namespace {

using namespace nccl;
using Bytes = std::vector<std::byte>;

struct Case {
  int ranks, root;
  std::size_t count;
  ncclDataType_t type;
  ncclRedOp_t by;
  bool in_place;
  std::vector<Bytes> inputs;  // of each rank
};

class Collectives : public testing::Test {
 protected:
  // `blocks`: how many times `count` a rank has of input.
  Case draw(Ranks& ranks, bool is_wide) {
    Case out;
    out.ranks = ranks.count();
    out.root = pick(out.ranks);
    constexpr std::size_t kCounts[] = {1, 2, 3, 7, 64, 1000, 4097, 70'001};
    out.count = kCounts[pick(8)];
    out.type = static_cast<ncclDataType_t>(pick(ncclNumTypes));
    out.by = static_cast<ncclRedOp_t>(pick(ncclNumOps));
    out.in_place = pick(2) == 1;
    const auto elements = out.count * static_cast<std::size_t>(is_wide ? out.ranks : 1);
    for (int i = 0; i < out.ranks; ++i) out.inputs.push_back(numbers::random(out.type, elements, random_));
    return out;
  }
  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }

  std::mt19937 random_{static_cast<unsigned>(testing::UnitTest::GetInstance()->random_seed())};
};

std::vector<std::unique_ptr<Buffer>> on_devices(const std::vector<Bytes>& all) {
  std::vector<std::unique_ptr<Buffer>> out;
  for (std::size_t i = 0; i < all.size(); ++i) out.push_back(std::make_unique<Buffer>(static_cast<int>(i), all[i]));
  return out;
}

std::size_t at(int rank) { return static_cast<std::size_t>(rank); }

TEST_F(Collectives, AllReduceIsTheSumOfAll) {
  for (int n = 1; n <= 8; ++n) {
    Ranks ranks(n);
    for (int k = 0; k < 12; ++k) {
      const auto c = draw(ranks, false);
      const auto from = on_devices(c.inputs);
      const auto other = on_devices(c.inputs);
      const auto& to = c.in_place ? from : other;
      ranks.group([&](int i, Communicator* comm, cuda::CUstream stream) {
        return nccl_library().ncclAllReduce(from[at(i)]->at(), to[at(i)]->at(), c.count, c.type, c.by, comm, stream);
      });
      ranks.wait();
      const auto first = to[0]->read();
      for (int i = 1; i < n; ++i) EXPECT_EQ(to[at(i)]->read(), first);
      numbers::expect_reduced(c.type, c.by, c.inputs, 0, c.count, first);
    }
  }
}

}  // namespace
}  // namespace nvmlkit::library_test
