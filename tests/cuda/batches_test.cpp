// What CUDA 12.8 to 13.0 brought: batches, events of whole contexts, pools of locations, the log of errors.
#include <array>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "async_support.hpp"

namespace nvmlkit::cuda_test {
namespace {

class CudaBatches : public CudaAsync {
 protected:
  std::vector<unsigned> words_at(CUdeviceptr address, std::size_t count) {
    std::vector<unsigned> out(count);
    EXPECT_EQ(driver().cuMemcpyDtoH_v2(out.data(), address, count * 4), CUDA_SUCCESS);
    return out;
  }
};

CUmemcpyAttributes in_order(CUmemcpySrcAccessOrder order) {
  CUmemcpyAttributes out{};
  out.srcAccessOrder = order;
  return out;
}

// The batch waits for the work before it. A source of one copy is used in stream order, that of the other one at once.
TEST_F(CudaBatches, CopiesAreInStreamOrder) {
  const auto to = allocate(8);
  CUdeviceptr to_each[] = {to, to + 4}, from[] = {at(20), at(21)};
  std::size_t sizes[] = {4, 4}, starts[] = {0, 1};
  CUmemcpyAttributes how[] = {in_order(CU_MEMCPY_SRC_ACCESS_ORDER_STREAM),
                              in_order(CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL)};
  words_[21] = 7;
  ASSERT_EQ(launch(one_, 0, 20, 5), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuMemcpyBatchAsync_v2(to_each, from, sizes, 2, how, starts, 2, one_), CUDA_SUCCESS);
  words_[21] = 8;
  EXPECT_EQ(query(one_), CUDA_ERROR_NOT_READY);
  open(0);
  ASSERT_EQ(synchronize(one_), CUDA_SUCCESS);
  EXPECT_EQ(words_at(to, 2), (std::vector<unsigned>{5, 7}));
}

TEST_F(CudaBatches, AWrongCopyIsNamedAndNothingIsCopied) {
  const auto to = allocate(8);
  ASSERT_EQ(driver().cuMemsetD32_v2(to, 1u, 2), CUDA_SUCCESS);
  words_[20] = 5;
  CUdeviceptr to_each[] = {to, 64}, from[] = {at(20), at(21)};
  std::size_t sizes[] = {4, 4}, starts[] = {0, 1}, failed = 9;
  CUmemcpyAttributes how[] = {in_order(CU_MEMCPY_SRC_ACCESS_ORDER_STREAM), in_order(CU_MEMCPY_SRC_ACCESS_ORDER_ANY)};
  const auto copy = [&](std::size_t number, CUstream stream) {
    return driver().cuMemcpyBatchAsync(to_each, from, sizes, 2, how, starts, number, &failed, stream);
  };
  EXPECT_EQ(copy(2, one_), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(failed, 1u);
  to_each[1] = to + 4;
  EXPECT_EQ(copy(3, one_), CUDA_ERROR_INVALID_VALUE);  // more attributes than copies
  EXPECT_EQ(failed, ~std::size_t{0});
  EXPECT_EQ(copy(2, nullptr), CUDA_ERROR_INVALID_VALUE);
  how[1].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_INVALID;
  EXPECT_EQ(copy(2, one_), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(failed, 1u);
  starts[0] = 1;
  EXPECT_EQ(copy(1, one_), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(words_at(to, 2), (std::vector<unsigned>{1, 1}));
}

// CUDA_MEMCPY3D_BATCH_OP with pointers on both sides.
struct Box {
  struct Side {
    std::size_t type = 1;
    CUdeviceptr address = 0;
    std::size_t row_length = 0, layer_height = 0, hint = 0;
  } from, to;
  std::size_t width = 0, height = 1, depth = 1;
  unsigned order = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM, flags = 0;
};
static_assert(sizeof(Box) == 112);

TEST_F(CudaBatches, BoxesHaveRowsAndLayers) {
  const auto to = allocate(16);
  for (unsigned i = 0; i < 4; ++i) words_[20 + i] = i;
  Box box;  // two rows of one word, out of rows of two words
  box.from.address = at(20);
  box.from.row_length = 8;
  box.to.address = to;
  box.width = 4;
  box.height = 2;
  std::size_t failed = 9;
  ASSERT_EQ(driver().cuMemcpy3DBatchAsync(1, as<CUDA_MEMCPY3D_BATCH_OP>(&box), &failed, 0, one_), CUDA_SUCCESS);
  ASSERT_EQ(synchronize(one_), CUDA_SUCCESS);
  EXPECT_EQ(words_at(to, 2), (std::vector<unsigned>{0, 2}));
  box.from.row_length = 3;
  EXPECT_EQ(driver().cuMemcpy3DBatchAsync(1, as<CUDA_MEMCPY3D_BATCH_OP>(&box), &failed, 0, one_),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(failed, 0u);
  EXPECT_EQ(driver().cuMemcpy3DBatchAsync_v2(1, as<CUDA_MEMCPY3D_BATCH_OP>(&box), 1, one_), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(CudaBatches, PrefetchesAreRemembered) {
  CUdeviceptr ranges[2] = {};
  for (auto& range : ranges)
    ASSERT_EQ(driver().cuMemAllocManaged(&range, 4096, unsigned{CU_MEM_ATTACH_GLOBAL}), CUDA_SUCCESS);
  std::size_t sizes[] = {4096, 4096}, starts[] = {0, 1};
  CUmemLocation places[] = {{CU_MEM_LOCATION_TYPE_DEVICE, 1}, {CU_MEM_LOCATION_TYPE_HOST, 0}};
  ASSERT_EQ(driver().cuMemDiscardAndPrefetchBatchAsync(ranges, sizes, 2, places, starts, 2, 0, one_), CUDA_SUCCESS);
  int last = 9;
  ASSERT_EQ(driver().cuMemRangeGetAttribute(&last, 4, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, ranges[0], 4096),
            CUDA_SUCCESS);
  EXPECT_EQ(last, 1);
  ASSERT_EQ(driver().cuMemRangeGetAttribute(&last, 4, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, ranges[1], 4096),
            CUDA_SUCCESS);
  EXPECT_EQ(last, -1);
  EXPECT_EQ(driver().cuMemDiscardBatchAsync(ranges, sizes, 2, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
  sizes[1] = 1 << 30;
  EXPECT_EQ(driver().cuMemDiscardBatchAsync(ranges, sizes, 2, 0, one_), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver().cuMemPrefetchBatchAsync(ranges, sizes, 2, places, starts, 2, 0, one_), CUDA_ERROR_INVALID_VALUE);
}

// An event of a context comes behind all of its streams, and no other stream waits for it.
TEST_F(CudaBatches, AContextIsRecorded) {
  CUevent event = nullptr;
  ASSERT_EQ(driver().cuEventCreate(&event, 0u), CUDA_SUCCESS);
  ASSERT_EQ(launch(one_, 0, 10), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuCtxRecordEvent(context_, event), CUDA_SUCCESS);
  ASSERT_EQ(launch(two_, 1, 11), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuEventQuery(event), CUDA_ERROR_NOT_READY);
  open(1);
  EXPECT_TRUE(comes_true([&] { return read(11) == 1; }));
  EXPECT_EQ(driver().cuEventQuery(event), CUDA_ERROR_NOT_READY);
  open(0);
  EXPECT_EQ(driver().cuEventSynchronize(event), CUDA_SUCCESS);
  EXPECT_EQ(read(10), 1u);
  EXPECT_EQ(driver().cuCtxRecordEvent(nullptr, event), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(driver().cuCtxRecordEvent(context_, nullptr), CUDA_ERROR_INVALID_HANDLE);
}

// A stream that is made afterwards waits too.
TEST_F(CudaBatches, AContextWaits) {
  open(1);
  ASSERT_EQ(launch(one_, 0, 10), CUDA_SUCCESS);
  const auto event = record(one_);
  ASSERT_EQ(driver().cuCtxWaitEvent(context_, event), CUDA_SUCCESS);
  CUstream later = nullptr;
  ASSERT_EQ(driver().cuStreamCreate(&later, unsigned{CU_STREAM_NON_BLOCKING}), CUDA_SUCCESS);
  for (auto* const stream : {two_, later}) ASSERT_EQ(launch(stream, 1, stream == two_ ? 11 : 12), CUDA_SUCCESS);
  usleep(20000);
  EXPECT_EQ(read(11), 0u);
  EXPECT_EQ(read(12), 0u);
  open(0);
  ASSERT_EQ(driver().cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(read(11), 1u);
  EXPECT_EQ(read(12), 1u);
}

TEST_F(CudaBatches, ACapturedStreamIsDisturbed) {
  CUevent event = nullptr;
  ASSERT_EQ(driver().cuEventCreate(&event, 0u), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuStreamBeginCapture_v2(one_, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuCtxRecordEvent(context_, event), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  CUgraph graph = nullptr;
  EXPECT_EQ(driver().cuStreamEndCapture(one_, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST_F(CudaBatches, PoolsOfLocations) {
  CUmemLocation place{CU_MEM_LOCATION_TYPE_DEVICE, 1}, host{CU_MEM_LOCATION_TYPE_HOST, 0};
  CUmemoryPool pool = nullptr, own = nullptr;
  const auto pinned = CU_MEM_ALLOCATION_TYPE_PINNED;
  ASSERT_EQ(driver().cuDeviceGetDefaultMemPool(&own, CUdevice{1}), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuMemGetDefaultMemPool(&pool, &place, pinned), CUDA_SUCCESS);
  EXPECT_EQ(pool, own);
  EXPECT_EQ(driver().cuMemSetMemPool(&place, pinned, own), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuMemGetMemPool(&pool, &place, pinned), CUDA_SUCCESS);
  EXPECT_EQ(pool, own);
  EXPECT_EQ(driver().cuMemGetMemPool(&pool, &host, pinned), CUDA_ERROR_NOT_SUPPORTED);
  place.id = 99;
  EXPECT_EQ(driver().cuMemGetMemPool(&pool, &place, pinned), CUDA_ERROR_INVALID_DEVICE);
}

TEST_F(CudaBatches, AtomicCapabilities) {
  const CUatomicOperation asked[] = {CU_ATOMIC_OPERATION_INTEGER_ADD, CU_ATOMIC_OPERATION_FLOAT_MIN};
  std::array<unsigned, 2> told{9, 9};
  ASSERT_EQ(driver().cuDeviceGetP2PAtomicCapabilities(told.data(), asked, 2u, CUdevice{0}, CUdevice{1}), CUDA_SUCCESS);
  EXPECT_NE(told[0] & CU_ATOMIC_CAPABILITY_SCALAR_64, 0u);
  EXPECT_EQ(told[1], 0u);
  ASSERT_EQ(driver().cuDeviceGetHostAtomicCapabilities(told.data(), asked, 2u, CUdevice{0}), CUDA_SUCCESS);
  EXPECT_EQ(told[0], 0u);  // by PCIe
  EXPECT_EQ(driver().cuDeviceGetHostAtomicCapabilities(told.data(), asked, 0u, CUdevice{0}), CUDA_ERROR_INVALID_VALUE);
}

void keep_line(void* to, CUlogLevel, char* line, std::size_t size) {
  static_cast<std::string*>(to)->assign(line, size);
}

TEST_F(CudaBatches, ErrorsAreLogged) {
  std::string line;
  CUlogsCallbackHandle handle = nullptr;
  CUlogIterator place = 0, again = 0;
  ASSERT_EQ(driver().cuLogsRegisterCallback(&keep_line, &line, &handle), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuLogsCurrent(&place, 0u), CUDA_SUCCESS);
  again = place;
  CUmodule module = nullptr;
  EXPECT_NE(driver().cuModuleLoadData(&module, ".version 7.0\n.target sm_70\n.visible .entry f() { add.u32 ; }\n"),
            CUDA_SUCCESS);
  EXPECT_NE(line, "");
  char text[1024];
  std::size_t size = sizeof text;
  ASSERT_EQ(driver().cuLogsDumpToMemory(&place, text, &size, 0u), CUDA_SUCCESS);
  EXPECT_EQ(size, std::strlen(text));
  EXPECT_NE(std::string(text).find("[CUDA][E] " + line + "\n"), std::string::npos) << text;
  size = sizeof text;
  EXPECT_EQ(driver().cuLogsDumpToMemory(&place, text, &size, 0u), CUDA_SUCCESS);
  EXPECT_EQ(size, 0u);  // the place has moved on
  size = 8;
  EXPECT_EQ(driver().cuLogsDumpToMemory(&again, text, &size, 0u), CUDA_ERROR_INVALID_VALUE);
  const auto path = testing::TempDir() + "nvmlkit-logs-" + std::to_string(getpid());
  ASSERT_EQ(driver().cuLogsDumpToFile(&again, path.c_str(), 0u), CUDA_SUCCESS);
  std::string first;
  EXPECT_TRUE(std::getline(std::ifstream(path), first));
  unlink(path.c_str());
  EXPECT_EQ(driver().cuLogsUnregisterCallback(handle), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuLogsUnregisterCallback(handle), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace nvmlkit::cuda_test
