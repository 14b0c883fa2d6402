// Parts of GPUs, kernels on several of them, launches as before CUDA 4, notifications.
#include "resources.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

namespace nvmlkit::cuda_test {
namespace {

// CUdevResource: its type, and behind 96 bytes the number of multiprocessors.
struct DeviceResource {
  CUdevResourceType type = CU_DEV_RESOURCE_TYPE_INVALID;
  unsigned char padding[92] = {};
  unsigned multiprocessors = 0, rest[11] = {};
};
static_assert(sizeof(DeviceResource) == 144);

TEST_F(CudaResources, AGreenContextHasSomeMultiprocessors) {
  DeviceResource all, left;
  ASSERT_EQ(driver().cuDeviceGetDevResource(CUdevice{0}, as<CUdevResource>(&all), CU_DEV_RESOURCE_TYPE_SM),
            CUDA_SUCCESS);
  EXPECT_EQ(all.multiprocessors, 132u);
  EXPECT_EQ(driver().cuDeviceGetDevResource(CUdevice{0}, as<CUdevResource>(&all), CU_DEV_RESOURCE_TYPE_INVALID),
            CUDA_ERROR_INVALID_RESOURCE_TYPE);
  unsigned groups = 0;
  ASSERT_EQ(driver().cuDevSmResourceSplitByCount(nullptr, &groups, as<CUdevResource>(as<CUdevResource>(&all)), nullptr,
                                                 0u, 0u),
            CUDA_SUCCESS);
  EXPECT_EQ(groups, 15u);  // of 8 each
  std::array<DeviceResource, 2> parts;
  groups = 2;
  ASSERT_EQ(driver().cuDevSmResourceSplitByCount(as<CUdevResource>(as<CUdevResource>(parts.data())), &groups,
                                                 as<CUdevResource>(as<CUdevResource>(&all)),
                                                 as<CUdevResource>(as<CUdevResource>(&left)), 0u, 10u),
            CUDA_SUCCESS);
  EXPECT_EQ(groups, 2u);
  EXPECT_EQ(parts[1].multiprocessors, 16u);
  EXPECT_EQ(left.multiprocessors, 100u);
  EXPECT_EQ(driver().cuDevSmResourceSplitByCount(as<CUdevResource>(as<CUdevResource>(parts.data())), &groups,
                                                 as<CUdevResource>(as<CUdevResource>(&all)),
                                                 as<CUdevResource>(as<CUdevResource>(&left)), 0u, 133u),
            CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);

  CUdevResourceDesc description = nullptr;
  CUgreenCtx green = nullptr, of_stream = nullptr;
  CUcontext context = nullptr;
  ASSERT_EQ(driver().cuDevResourceGenerateDesc(&description, as<CUdevResource>(parts.data()), 1u), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuGreenCtxCreate(&green, description, CUdevice{0}, 0u), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver().cuGreenCtxCreate(&green, description, CUdevice{1}, 1u), CUDA_ERROR_INVALID_DEVICE);
  ASSERT_EQ(driver().cuGreenCtxCreate(&green, description, CUdevice{0}, 1u), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuCtxFromGreenCtx(&context, green), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuCtxSetCurrent(context), CUDA_SUCCESS);
  CUstream stream = nullptr;
  ASSERT_EQ(driver().cuStreamCreate(&stream, 0u), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuStreamGetGreenCtx(stream, &of_stream), CUDA_SUCCESS);
  EXPECT_EQ(of_stream, green);
  const auto where = allocate(4);
  unsigned added = 1000;
  auto address = where;
  void* arguments[] = {&address, &added};
  ASSERT_EQ(driver().cuLaunchKernel(tell(), 1u, 1u, 1u, 1u, 1u, 1u, 0u, stream, arguments, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(at(where), 1132u);                                               // %nsmid is that of the GPU
  EXPECT_EQ(driver().cuCtxDestroy_v2(context), CUDA_ERROR_INVALID_CONTEXT);  // it ends with the green one
  EXPECT_EQ(driver().cuGreenCtxDestroy(green), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuGreenCtxDestroy(green), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_EQ(driver().cuCtxFromGreenCtx(&context, green), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  ASSERT_EQ(driver().cuCtxSetCurrent(context_), CUDA_SUCCESS);
}

TEST_F(CudaResources, ALaunchIsToldPieceByPiece) {
  const auto function = tell();
  const auto where = allocate(4);
  auto address = where;
  EXPECT_EQ(driver().cuFuncSetBlockShape(function, 0, 1, 1), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(driver().cuFuncSetBlockShape(function, 1, 1, 1), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuFuncSetSharedSize(function, 16u), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuLaunchGrid(function, 1, 1), CUDA_ERROR_INVALID_VALUE);  // without arguments
  EXPECT_EQ(driver().cuParamSeti(function, -4, 1u), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(driver().cuParamSetv(function, 0, &address, 8u), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuParamSeti(function, 8, 5u), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuParamSetSize(function, 12u), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuLaunchGrid(function, 1, 1), CUDA_SUCCESS);
  EXPECT_EQ(at(where), 137u);
  ASSERT_EQ(driver().cuParamSeti(function, 8, 6u), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuLaunch(function), CUDA_SUCCESS);
  EXPECT_EQ(at(where), 138u);
  EXPECT_EQ(driver().cuLaunch(reinterpret_cast<CUfunction>(&address)), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(CudaResources, OneKernelRunsOnTwoGpus) {
  CUcontext other = nullptr;
  std::array<CUstream, 2> streams{};
  std::array<CUdeviceptr, 2> where{};
  unsigned added = 0;
  std::array<std::array<void*, 2>, 2> arguments{};
  std::array<CUDA_LAUNCH_PARAMS, 2> launches{};
  for (int i = 0; i < 2; ++i) {
    if (i == 1) {
      ASSERT_EQ(driver().cuCtxCreate_v2(&other, 0u, CUdevice{1}), CUDA_SUCCESS);
    }
    ASSERT_EQ(driver().cuStreamCreate(&streams[i], 0u), CUDA_SUCCESS);
    where[i] = allocate(4);
    arguments[i] = {&where[i], &added};
    auto& l = launches[i];
    l.function = tell();
    l.gridDimX = l.gridDimY = l.gridDimZ = l.blockDimX = l.blockDimY = l.blockDimZ = 1;
    l.hStream = streams[i];
    l.kernelParams = arguments[i].data();
  }
  ASSERT_EQ(driver().cuLaunchCooperativeKernelMultiDevice(launches.data(), 2u, 0u), CUDA_SUCCESS);
  EXPECT_EQ(at(where[1]), 132u);
  ASSERT_EQ(driver().cuCtxPopCurrent_v2(&other), CUDA_SUCCESS);
  EXPECT_EQ(at(where[0]), 132u);
  launches[1].blockDimX = 2;
  EXPECT_EQ(driver().cuLaunchCooperativeKernelMultiDevice(launches.data(), 2u, 0u), CUDA_ERROR_INVALID_VALUE);
  launches[1] = launches[0];
  EXPECT_EQ(driver().cuLaunchCooperativeKernelMultiDevice(launches.data(), 2u, 0u), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(driver().cuCtxDestroy_v2(other), CUDA_SUCCESS);
}

const char* const kMeet = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry meet(.param .u64 counter, .param .u32 wanted)
{
  .reg .pred %p<2>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [counter];
  ld.param.u32 %r1, [wanted];
  atom.global.sys.add.u32 %r2, [%rd1], 1;
AGAIN:
  ld.acquire.sys.global.u32 %r3, [%rd1];
  setp.lt.u32 %p1, %r3, %r1;
  @%p1 bra AGAIN;
  ret;
}
)";

// Each kernel ends when all blocks of both have begun: one after the other they would never end.
TEST_F(CudaResources, KernelsOfTwoGpusWaitForEachOther) {
  std::array<CUcontext, 2> contexts{context_};
  std::array<CUstream, 2> streams{};
  std::array<CUfunction, 2> functions{};
  CUdeviceptr counter = 0;
  ASSERT_EQ(driver().cuMemAllocManaged(&counter, std::size_t{8}, 1u), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuCtxCreate_v2(&contexts[1], 0u, CUdevice{1}), CUDA_SUCCESS);
  unsigned wanted = 24;
  std::array<void*, 2> arguments{&counter, &wanted};
  std::array<CUDA_LAUNCH_PARAMS, 2> launches{};
  for (unsigned i = 0; i < 2; ++i) {
    ASSERT_EQ(driver().cuCtxSetCurrent(contexts[i]), CUDA_SUCCESS);
    ASSERT_EQ(driver().cuStreamCreate(&streams[i], 1u), CUDA_SUCCESS);
    CUmodule module = nullptr;
    ASSERT_EQ(driver().cuModuleLoadData(&module, kMeet), CUDA_SUCCESS);
    ASSERT_EQ(driver().cuModuleGetFunction(&functions[i], module, "meet"), CUDA_SUCCESS);
    launches[i] = {functions[i], 12, 1, 1, 1, 1, 1, 0, streams[i], arguments.data()};
  }
  const auto wait = [&] {
    for (unsigned i = 0; i < 2; ++i) {
      ASSERT_EQ(driver().cuCtxSetCurrent(contexts[i]), CUDA_SUCCESS);
      EXPECT_EQ(driver().cuStreamSynchronize(streams[i]), CUDA_SUCCESS);
    }
  };
  for (unsigned i = 0; i < 2; ++i) {
    ASSERT_EQ(driver().cuCtxSetCurrent(contexts[i]), CUDA_SUCCESS);
    ASSERT_EQ(driver().cuLaunchKernel(functions[i], 12u, 1u, 1u, 1u, 1u, 1u, 0u, streams[i], arguments.data(), nullptr),
              CUDA_SUCCESS);
  }
  wait();
  // The first of them waits until the second stream is done with what it had before.
  wanted = 48;
  ASSERT_EQ(driver().cuStreamWaitValue32_v2(streams[1], counter + 4, 1u, 1u), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuLaunchCooperativeKernelMultiDevice(launches.data(), 2u, 0u), CUDA_SUCCESS);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  auto* const words = reinterpret_cast<unsigned*>(counter);
  EXPECT_EQ(std::atomic_ref(words[0]).load(), 24u);
  std::atomic_ref(words[1]).store(1);
  wait();
  EXPECT_EQ(driver().cuCtxDestroy_v2(contexts[1]), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuCtxSetCurrent(context_), CUDA_SUCCESS);
  EXPECT_EQ(at(counter), 48u);
}

void never(CUasyncNotificationInfo*, void*, CUasyncCallbackHandle) {}

TEST_F(CudaResources, NotificationsAreKeptUntilTheyEnd) {
  CUasyncCallbackHandle handle = nullptr;
  void* const data = nullptr;
  EXPECT_EQ(driver().cuDeviceRegisterAsyncNotification(CUdevice{99}, &never, data, &handle), CUDA_ERROR_INVALID_DEVICE);
  ASSERT_EQ(driver().cuDeviceRegisterAsyncNotification(CUdevice{0}, &never, data, &handle), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuDeviceUnregisterAsyncNotification(CUdevice{1}, handle), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver().cuDeviceUnregisterAsyncNotification(CUdevice{0}, handle), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuDeviceUnregisterAsyncNotification(CUdevice{0}, handle), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace nvmlkit::cuda_test
