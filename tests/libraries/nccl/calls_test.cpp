// Graphs, splits, operators, aborts and wrong arguments, in one process.
#include <chrono>
#include <thread>

#include "ranks.hpp"

namespace nvmlkit::library_test {
namespace {

using namespace nccl;

std::vector<std::byte> floats(std::size_t count, float value) {
  std::vector<std::byte> out(4 * count);
  for (std::size_t k = 0; k < count; ++k) std::memcpy(out.data() + 4 * k, &value, 4);
  return out;
}

std::vector<std::unique_ptr<Buffer>> numbered(int ranks, std::size_t count) {
  std::vector<std::unique_ptr<Buffer>> out;
  for (int i = 0; i < ranks; ++i) out.push_back(std::make_unique<Buffer>(i, floats(count, static_cast<float>(i + 1))));
  return out;
}

TEST(Calls, EachFunctionHasASecondName) {
  const Loaded library("libnccl.so.2");
  for (const char* name : {"AllReduce", "CommInitRankConfig", "GroupEnd", "GetVersion", "CommSplit", "MemAlloc"}) {
    EXPECT_NE(library.find<void*>((std::string("nccl") + name).c_str()), nullptr) << name;
    EXPECT_EQ(library.find<void*>((std::string("pnccl") + name).c_str()),
              library.find<void*>((std::string("nccl") + name).c_str()));
  }
}

TEST(Calls, WrongArgumentsAreRefused) {
  auto& n = nccl_library();
  Ranks ranks(1);
  auto* const comm = ranks.comms[0];
  EXPECT_EQ(n.ncclAllReduce(nullptr, nullptr, 1, ncclNumTypes, ncclSum, comm, nullptr), ncclInvalidArgument);
  EXPECT_EQ(n.ncclAllReduce(nullptr, nullptr, 1, ncclInt8, static_cast<ncclRedOp_t>(77), comm, nullptr),
            ncclInvalidArgument);
  EXPECT_STREQ(n.ncclGetLastError(comm), "AllReduce : reduction operation 77 unknown to this communicator");
  EXPECT_EQ(n.ncclBroadcast(nullptr, nullptr, 1, ncclInt8, 1, comm, nullptr), ncclInvalidArgument);
  EXPECT_EQ(n.ncclAllReduce(nullptr, nullptr, 1, ncclInt8, ncclSum, nullptr, nullptr), ncclInvalidArgument);
  EXPECT_EQ(n.ncclCommCount(reinterpret_cast<Communicator*>(0x1234), nullptr), ncclInvalidArgument);
  EXPECT_EQ(n.ncclGroupEnd(), ncclInvalidUsage);
  EXPECT_EQ(n.ncclRedOpDestroy(ncclSum, comm), ncclInvalidArgument);
  UniqueId id{};
  Communicator* made = nullptr;
  EXPECT_EQ(n.ncclCommInitRank(&made, 2, id, 2), ncclInvalidArgument);
  EXPECT_EQ(n.ncclCommInitRank(&made, 1, id, 0), ncclInvalidArgument);
  EXPECT_EQ(made, nullptr);
  Config config{};
  EXPECT_EQ(n.ncclCommInitRankConfig(&made, 1, id, 0, &config), ncclInvalidArgument);
  const int twice[] = {1, 1};
  Communicator* two[2];
  EXPECT_EQ(n.ncclCommInitAll(two, 2, twice), ncclInvalidUsage);
  int version = 0, device = -1, rank = -1;
  EXPECT_EQ(n.ncclGetVersion(&version), ncclSuccess);
  EXPECT_EQ(version, 22809);
  EXPECT_EQ(n.ncclCommCuDevice(comm, &device), ncclSuccess);
  EXPECT_EQ(n.ncclCommUserRank(comm, &rank), ncclSuccess);
  EXPECT_EQ(device + rank, 0);
}

TEST(Calls, AGraphRepeatsACollective) {
  Ranks ranks(2);
  const auto buffers = numbered(2, 5000);
  std::vector<cuda::CUgraphExec> graphs(2);
  for (int i = 0; i < 2; ++i) {
    devices().use(i);
    auto* const stream = ranks.streams[at(i)];
    cuda::CUgraph graph = nullptr;
    ASSERT_EQ(devices().find<decltype(&cuda::cuStreamBeginCapture_v2)>("cuStreamBeginCapture_v2")(
                  stream, cuda::CU_STREAM_CAPTURE_MODE_RELAXED),
              cuda::CUDA_SUCCESS);
    EXPECT_EQ(nccl_library().ncclAllReduce(buffers[at(i)]->at(), buffers[at(i)]->at(), 5000, ncclFloat32, ncclSum,
                                           ranks.comms[at(i)], stream),
              ncclSuccess);
    ASSERT_EQ(devices().find<decltype(&cuda::cuStreamEndCapture)>("cuStreamEndCapture")(stream, &graph),
              cuda::CUDA_SUCCESS);
    ASSERT_EQ(devices().find<decltype(&cuda::cuGraphInstantiateWithFlags)>("cuGraphInstantiateWithFlags")(
                  &graphs[at(i)], graph, 0),
              cuda::CUDA_SUCCESS);
  }
  // Once by a call among the launches of the graph.
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 2; ++i) {
      devices().use(i);
      EXPECT_EQ(devices().find<decltype(&cuda::cuGraphLaunch)>("cuGraphLaunch")(graphs[at(i)], ranks.streams[at(i)]),
                cuda::CUDA_SUCCESS);
      if (k != 1) continue;
      EXPECT_EQ(nccl_library().ncclAllReduce(buffers[at(i)]->at(), buffers[at(i)]->at(), 5000, ncclFloat32, ncclSum,
                                             ranks.comms[at(i)], ranks.streams[at(i)]),
                ncclSuccess);
    }
  ranks.wait();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(buffers[at(i)]->read(), floats(5000, 3 * 2 * 2 * 2));
}

TEST(Calls, ASplitHasItsOwnRanks) {
  Ranks ranks(5);
  std::vector<Communicator*> parts(5);
  // Even and odd ranks in opposite order; the last takes no part.
  ranks.group([&](int i, Communicator* comm, cuda::CUstream) {
    return nccl_library().ncclCommSplit(comm, i == 4 ? -1 : i % 2, -i, &parts[at(i)], nullptr);
  });
  EXPECT_EQ(parts[4], nullptr);
  const auto buffers = numbered(5, 100);
  ASSERT_EQ(nccl_library().ncclGroupStart(), ncclSuccess);
  for (int i = 0; i < 4; ++i) {
    int rank = -1, count = 0;
    EXPECT_EQ(nccl_library().ncclCommUserRank(parts[at(i)], &rank), ncclSuccess);
    EXPECT_EQ(nccl_library().ncclCommCount(parts[at(i)], &count), ncclSuccess);
    EXPECT_EQ(rank, i < 2 ? 1 : 0);
    EXPECT_EQ(count, 2);
    EXPECT_EQ(nccl_library().ncclAllReduce(buffers[at(i)]->at(), buffers[at(i)]->at(), 100, ncclFloat32, ncclSum,
                                           parts[at(i)], ranks.streams[at(i)]),
              ncclSuccess);
  }
  ASSERT_EQ(nccl_library().ncclGroupEnd(), ncclSuccess);
  ranks.wait();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(buffers[at(i)]->read(), floats(100, i % 2 == 0 ? 1 + 3 : 2 + 4));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(nccl_library().ncclCommDestroy(parts[at(i)]), ncclSuccess);
}

TEST(Calls, AShrunkCommunicatorHasTheOthers) {
  Ranks ranks(3);
  std::vector<Communicator*> rest(3);
  int excluded[] = {1};
  ASSERT_EQ(nccl_library().ncclGroupStart(), ncclSuccess);
  for (const int i : {0, 2})
    EXPECT_EQ(nccl_library().ncclCommShrink(ranks.comms[at(i)], excluded, 1, &rest[at(i)], nullptr, 0), ncclSuccess);
  ASSERT_EQ(nccl_library().ncclGroupEnd(), ncclSuccess);
  int rank = -1;
  EXPECT_EQ(nccl_library().ncclCommUserRank(rest[2], &rank), ncclSuccess);
  EXPECT_EQ(rank, 1);
  for (const int i : {0, 2}) EXPECT_EQ(nccl_library().ncclCommDestroy(rest[at(i)]), ncclSuccess);
}

TEST(Calls, EachRankMultipliesByItsOwnScalar) {
  Ranks ranks(3);
  const auto buffers = numbered(3, 100);
  std::vector<ncclRedOp_t> operators(3);
  const Buffer on_device(1, floats(1, 20));
  for (int i = 0; i < 3; ++i) {
    float scalar = static_cast<float>(10 * (i + 1));
    void* const place = i == 1 ? on_device.at() : &scalar;
    EXPECT_EQ(nccl_library().ncclRedOpCreatePreMulSum(&operators[at(i)], place, ncclFloat32,
                                                      i == 1 ? ncclScalarDevice : ncclScalarHostImmediate,
                                                      ranks.comms[at(i)]),
              ncclSuccess);
  }
  ranks.group([&](int i, Communicator* comm, cuda::CUstream stream) {
    return nccl_library().ncclAllReduce(buffers[at(i)]->at(), buffers[at(i)]->at(), 100, ncclFloat32, operators[at(i)],
                                        comm, stream);
  });
  ranks.wait();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(buffers[at(i)]->read(), floats(100, 10 * 1 + 20 * 2 + 30 * 3));
    EXPECT_EQ(nccl_library().ncclRedOpDestroy(operators[at(i)], ranks.comms[at(i)]), ncclSuccess);
  }
}

// A send in one stream and its receive in another, of one group; then the streams the other way round.
TEST(Calls, AGroupJoinsItsStreams) {
  Ranks ranks(2);
  std::vector<cuda::CUstream> others(2);
  const auto from = numbered(2, 1000), to = numbered(2, 1000);
  for (int i = 0; i < 2; ++i) {
    devices().use(i);
    EXPECT_EQ(devices().create_stream(&others[at(i)], 0), cuda::CUDA_SUCCESS);
  }
  ranks.group([&](int i, Communicator* comm, cuda::CUstream stream) {
    EXPECT_EQ(nccl_library().ncclSend(from[at(i)]->at(), 1000, ncclFloat32, 1 - i, comm, stream), ncclSuccess);
    return nccl_library().ncclRecv(to[at(i)]->at(), 1000, ncclFloat32, 1 - i, comm, others[at(i)]);
  });
  for (int i = 0; i < 2; ++i) {
    devices().use(i);
    EXPECT_EQ(devices().wait_for(others[at(i)]), cuda::CUDA_SUCCESS);
    EXPECT_EQ(to[at(i)]->read(), floats(1000, static_cast<float>(2 - i)));
  }
}

// More operations than threads could be for, one rank after the other: none waits in the call.
TEST(Calls, OneThreadQueuesOperationsOfEachRankInTurn) {
  Ranks ranks(2);
  const auto buffers = numbered(2, 10);
  for (int i = 0; i < 2; ++i)
    for (int k = 0; k < 20; ++k)
      EXPECT_EQ(nccl_library().ncclAllReduce(buffers[at(i)]->at(), buffers[at(i)]->at(), 10, ncclFloat32, ncclMax,
                                             ranks.comms[at(i)], ranks.streams[at(i)]),
                ncclSuccess);
  ranks.wait();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(buffers[at(i)]->read(), floats(10, 2));
}

// A receive that waits in its stream lets later calls through, of the same thread and of others.
TEST(Calls, AReceiveMayBeCalledBeforeItsSend) {
  Ranks ranks(2);
  auto& n = nccl_library();
  const auto from = numbered(2, 1000), to = numbered(2, 1000);
  const auto pass = [&](int sender, bool is_send) {
    const int rank = is_send ? sender : 1 - sender;
    auto* const comm = ranks.comms[at(rank)];
    EXPECT_EQ(n.ncclGroupStart(), ncclSuccess);
    EXPECT_EQ(is_send ? n.ncclSend(from[at(rank)]->at(), 1000, ncclFloat32, 1 - rank, comm, ranks.streams[at(rank)])
                      : n.ncclRecv(to[at(rank)]->at(), 1000, ncclFloat32, 1 - rank, comm, ranks.streams[at(rank)]),
              ncclSuccess);
    EXPECT_EQ(n.ncclGroupEnd(), ncclSuccess);
  };
  const auto wait = [&](int rank) {
    devices().use(rank);
    EXPECT_EQ(devices().wait_for(ranks.streams[at(rank)]), cuda::CUDA_SUCCESS);
  };
  for (const int sender : {0, 1}) {  // one thread
    pass(sender, false);
    pass(sender, true);
    ranks.wait();
    EXPECT_EQ(to[at(1 - sender)]->read(), floats(1000, static_cast<float>(sender + 1)));
  }
  std::thread receiver([&] {  // a thread for each rank: what the receiver waits for has not been called
    pass(0, false);
    wait(1);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  pass(0, true);
  wait(0);
  receiver.join();
  EXPECT_EQ(to[1]->read(), floats(1000, 1));
}

// Small sends do not wait for their receives, so both ranks may send first.
TEST(Calls, BothRanksMaySendFirst) {
  Ranks ranks(2);
  auto& n = nccl_library();
  const auto from = numbered(2, 1000), to = numbered(2, 1000);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(n.ncclSend(from[at(i)]->at(), 1000, ncclFloat32, 1 - i, ranks.comms[at(i)], ranks.streams[at(i)]),
              ncclSuccess);
    EXPECT_EQ(n.ncclRecv(to[at(i)]->at(), 1000, ncclFloat32, 1 - i, ranks.comms[at(i)], ranks.streams[at(i)]),
              ncclSuccess);
  }
  ranks.wait();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(to[at(i)]->read(), floats(1000, static_cast<float>(2 - i)));
}

// Each rank waits in one communicator for what the other sends in the other one, in streams of their own.
TEST(Calls, CommunicatorsDoNotWaitForEachOther) {
  Ranks first(2), second(2);
  Ranks* const each[] = {&first, &second};
  auto& n = nccl_library();
  const auto from = numbered(2, 1000), to = numbered(2, 1000);
  for (int i = 0; i < 2; ++i) {
    auto &receives = *each[i], &sends = *each[1 - i];
    EXPECT_EQ(n.ncclRecv(to[at(i)]->at(), 1000, ncclFloat32, 1 - i, receives.comms[at(i)], receives.streams[at(i)]),
              ncclSuccess);
    EXPECT_EQ(n.ncclSend(from[at(i)]->at(), 1000, ncclFloat32, 1 - i, sends.comms[at(i)], sends.streams[at(i)]),
              ncclSuccess);
  }
  for (auto* const ranks : each) ranks->wait();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(to[at(i)]->read(), floats(1000, static_cast<float>(2 - i)));
}

TEST(Calls, AnAbortEndsWhatWaits) {
  Ranks ranks(2);
  const auto buffers = numbered(2, 10);
  EXPECT_EQ(nccl_library().ncclAllReduce(buffers[0]->at(), buffers[0]->at(), 10, ncclFloat32, ncclSum, ranks.comms[0],
                                         ranks.streams[0]),
            ncclSuccess);
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_EQ(nccl_library().ncclCommAbort(ranks.comms[0]), ncclSuccess);
  });
  devices().use(0);
  EXPECT_EQ(devices().wait_for(ranks.streams[0]), cuda::CUDA_SUCCESS);
  later.join();
  ranks.comms.erase(ranks.comms.begin());
}

}  // namespace
}  // namespace nvmlkit::library_test
