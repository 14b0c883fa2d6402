// Collectives of one process against plain sums, over random sizes, types, operators, roots and numbers of ranks.
#include <cstdlib>
#include <functional>
#include <random>

#include "numbers.hpp"
#include "ranks.hpp"

namespace nvmlkit::library_test {
namespace {

using namespace nccl;
using Bytes = std::vector<std::byte>;

struct Case {
  int ranks, root;
  std::size_t count, size;  // of elements, of bytes
  ncclDataType_t type;
  ncclRedOp_t by;
  bool in_place;
  std::vector<Bytes> inputs;  // of each rank
};

// `blocks` of a rank's input, from one rank.
Bytes block(const Case& c, const Bytes& of, int number) {
  const auto begin = of.begin() + static_cast<std::ptrdiff_t>(at(number) * c.size);
  return {begin, begin + static_cast<std::ptrdiff_t>(c.size)};
}

class Collectives : public testing::Test {
 protected:
  enum class Input { one_block, block_for_each };

  Case draw(const Ranks& ranks, Input input) {
    Case out;
    out.ranks = ranks.count();
    out.root = pick(out.ranks);
    constexpr std::size_t kCounts[] = {1, 2, 3, 7, 64, 1000, 4097, 70'001};
    out.count = kCounts[pick(8)];
    out.type = static_cast<ncclDataType_t>(pick(ncclNumTypes));
    out.by = static_cast<ncclRedOp_t>(pick(ncclNumOps));
    out.in_place = pick(2) == 1;
    out.size = out.count * numbers::size_of(out.type);
    const auto elements = out.count * (input == Input::one_block ? 1 : at(out.ranks));
    for (int i = 0; i < out.ranks; ++i) out.inputs.push_back(numbers::random(out.type, elements, random_));
    return out;
  }
  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }

  // Buffers of so many blocks for each rank, with what is written to them at the start.
  static std::vector<std::unique_ptr<Buffer>> buffers(const Case& c, std::size_t blocks,
                                                      const std::function<Bytes(int)>& content = {}) {
    std::vector<std::unique_ptr<Buffer>> out;
    for (int i = 0; i < c.ranks; ++i)
      out.push_back(std::make_unique<Buffer>(i, content ? content(i) : Bytes(blocks * c.size, std::byte{0x5a})));
    return out;
  }
  static std::vector<std::unique_ptr<Buffer>> inputs(const Case& c) {
    return buffers(c, 0, [&](int i) { return c.inputs[at(i)]; });
  }

  // check(ranks) some times, for one to eight ranks.
  template <class Check>
  void for_all(Check check) {
    for (int n = 1; n <= 8; ++n) {
      Ranks ranks(n);
      for (int k = 0; k < 8; ++k) check(ranks);
    }
  }

  // The same cases each time; NVMLKIT_NCCL_SEED draws others.
  static unsigned seed() {
    const char* const given = std::getenv("NVMLKIT_NCCL_SEED");
    return given ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : 1;
  }
  std::mt19937 random_{seed()};
};

TEST_F(Collectives, AllReduce) {
  for_all([&](Ranks& ranks) {
    const auto c = draw(ranks, Input::one_block);
    const auto from = inputs(c), other = inputs(c);
    const auto& to = c.in_place ? from : other;
    ranks.group([&](int i, Communicator* comm, cuda::CUstream stream) {
      return nccl_library().ncclAllReduce(from[at(i)]->at(), to[at(i)]->at(), c.count, c.type, c.by, comm, stream);
    });
    ranks.wait();
    const auto first = to[0]->read();
    for (int i = 1; i < c.ranks; ++i) EXPECT_EQ(to[at(i)]->read(), first);
    numbers::expect_reduced(c.type, c.by, c.inputs, 0, c.count, first);
  });
}

TEST_F(Collectives, Reduce) {
  for_all([&](Ranks& ranks) {
    const auto c = draw(ranks, Input::one_block);
    const auto from = inputs(c), other = inputs(c);
    const auto& to = c.in_place ? from : other;
    ranks.group([&](int i, Communicator* comm, cuda::CUstream stream) {
      void* const out = i == c.root ? to[at(i)]->at() : nullptr;
      return nccl_library().ncclReduce(from[at(i)]->at(), out, c.count, c.type, c.by, c.root, comm, stream);
    });
    ranks.wait();
    numbers::expect_reduced(c.type, c.by, c.inputs, 0, c.count, to[at(c.root)]->read());
  });
}

TEST_F(Collectives, ReduceScatter) {
  for_all([&](Ranks& ranks) {
    const auto c = draw(ranks, Input::block_for_each);
    const auto from = inputs(c), to = buffers(c, 1);
    ranks.group([&](int i, Communicator* comm, cuda::CUstream stream) {
      void* const out = c.in_place ? from[at(i)]->at(at(i) * c.size) : to[at(i)]->at();
      return nccl_library().ncclReduceScatter(from[at(i)]->at(), out, c.count, c.type, c.by, comm, stream);
    });
    ranks.wait();
    for (int i = 0; i < c.ranks; ++i) {
      const auto found = c.in_place ? block(c, from[at(i)]->read(), i) : to[at(i)]->read();
      numbers::expect_reduced(c.type, c.by, c.inputs, at(i) * c.count, c.count, found);
    }
  });
}

TEST_F(Collectives, Broadcast) {
  for_all([&](Ranks& ranks) {
    const auto c = draw(ranks, Input::one_block);
    const auto from = inputs(c), other = buffers(c, 1);
    const auto& to = c.in_place ? from : other;
    ranks.group([&](int i, Communicator* comm, cuda::CUstream stream) {
      if (c.in_place) return nccl_library().ncclBcast(from[at(i)]->at(), c.count, c.type, c.root, comm, stream);
      const void* const in = i == c.root ? from[at(i)]->at() : nullptr;
      return nccl_library().ncclBroadcast(in, to[at(i)]->at(), c.count, c.type, c.root, comm, stream);
    });
    ranks.wait();
    for (int i = 0; i < c.ranks; ++i) EXPECT_EQ(to[at(i)]->read(), c.inputs[at(c.root)]);
  });
}

TEST_F(Collectives, AllGather) {
  for_all([&](Ranks& ranks) {
    const auto c = draw(ranks, Input::one_block);
    const auto from = inputs(c), to = buffers(c, at(c.ranks));
    Bytes expected;
    for (int i = 0; i < c.ranks; ++i) {
      expected.insert(expected.end(), c.inputs[at(i)].begin(), c.inputs[at(i)].end());
      devices().use(i);
      EXPECT_EQ(devices().put(reinterpret_cast<cuda::CUdeviceptr>(to[at(i)]->at(at(i) * c.size)),
                              c.inputs[at(i)].data(), c.size),
                cuda::CUDA_SUCCESS);
    }
    ranks.group([&](int i, Communicator* comm, cuda::CUstream stream) {
      const void* const in = c.in_place ? to[at(i)]->at(at(i) * c.size) : from[at(i)]->at();
      return nccl_library().ncclAllGather(in, to[at(i)]->at(), c.count, c.type, comm, stream);
    });
    ranks.wait();
    for (int i = 0; i < c.ranks; ++i) EXPECT_EQ(to[at(i)]->read(), expected);
  });
}

TEST_F(Collectives, AllToAllGatherScatter) {
  for_all([&](Ranks& ranks) {
    const auto c = draw(ranks, Input::block_for_each);
    const auto from = inputs(c), all = buffers(c, at(c.ranks)), gathered = buffers(c, at(c.ranks)),
               part = buffers(c, 1);
    ranks.group([&](int i, Communicator* comm, cuda::CUstream stream) {
      auto& n = nccl_library();
      EXPECT_EQ(n.ncclAlltoAll(from[at(i)]->at(), all[at(i)]->at(), c.count, c.type, comm, stream), ncclSuccess);
      EXPECT_EQ(n.ncclGather(from[at(i)]->at(), gathered[at(i)]->at(), c.count, c.type, c.root, comm, stream),
                ncclSuccess);
      return n.ncclScatter(from[at(i)]->at(), part[at(i)]->at(), c.count, c.type, c.root, comm, stream);
    });
    ranks.wait();
    for (int i = 0; i < c.ranks; ++i) {
      const auto found = all[at(i)]->read();
      for (int j = 0; j < c.ranks; ++j) EXPECT_EQ(block(c, found, j), block(c, c.inputs[at(j)], i));
      EXPECT_EQ(part[at(i)]->read(), block(c, c.inputs[at(c.root)], i));
      EXPECT_EQ(block(c, gathered[at(c.root)]->read(), i), block(c, c.inputs[at(i)], 0));
    }
  });
}

// Each rank sends to each, itself included, several times.
TEST_F(Collectives, SendsAndReceives) {
  for_all([&](Ranks& ranks) {
    const auto c = draw(ranks, Input::block_for_each);
    const auto from = inputs(c), to = buffers(c, at(c.ranks));
    ranks.group([&](int i, Communicator* comm, cuda::CUstream stream) {
      auto& n = nccl_library();
      for (int j = 0; j < c.ranks; ++j) {
        EXPECT_EQ(n.ncclSend(from[at(i)]->at(at(j) * c.size), c.count, c.type, j, comm, stream), ncclSuccess);
        EXPECT_EQ(n.ncclRecv(to[at(i)]->at(at(j) * c.size), c.count, c.type, j, comm, stream), ncclSuccess);
      }
      return ncclSuccess;
    });
    ranks.wait();
    for (int i = 0; i < c.ranks; ++i)
      for (int j = 0; j < c.ranks; ++j) EXPECT_EQ(block(c, to[at(i)]->read(), j), block(c, c.inputs[at(j)], i));
  });
}

// More than a ring holds, in both directions at once.
TEST_F(Collectives, LargerThanARing) {
  Ranks ranks(2);
  Case c{2, 0, 1'000'003, 4'000'012, ncclFloat32, ncclSum, false, {}};
  for (int i = 0; i < 2; ++i) c.inputs.push_back(numbers::random(c.type, c.count, random_));
  const auto from = inputs(c), to = buffers(c, 1);
  ranks.group([&](int i, Communicator* comm, cuda::CUstream stream) {
    EXPECT_EQ(nccl_library().ncclSend(from[at(i)]->at(), c.count, c.type, 1 - i, comm, stream), ncclSuccess);
    return nccl_library().ncclRecv(to[at(i)]->at(), c.count, c.type, 1 - i, comm, stream);
  });
  ranks.wait();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(to[at(i)]->read(), c.inputs[at(1 - i)]);
}

}  // namespace
}  // namespace nvmlkit::library_test
