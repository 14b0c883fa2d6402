// Modules of PTX and their launches, without any compiler.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "loaded.hpp"
#include "sim/config/load.hpp"
#include "sim/state/file.hpp"

namespace nvmlkit::cuda_test {
namespace {

const char* const kScale = R"(
.version 7.0
.target sm_70
.address_size 64
.global .align 4 .u32 factor = 3;
.visible .entry scale(.param .u64 data, .param .u32 count)
{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [data];
  ld.param.u32 %r1, [count];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra DONE;
  mul.wide.u32 %rd2, %r5, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r6, [%rd3];
  ld.global.u32 %r7, [factor];
  mul.lo.s32 %r6, %r6, %r7;
  st.global.u32 [%rd3], %r6;
DONE:
  ret;
}
)";

class CudaKernels : public WithContext {
 protected:
  CUfunction load(CUmodule* module = nullptr) { return kernel_of(kScale, "scale", module); }
  CUresult launch(CUfunction function, CUdeviceptr data, unsigned count, unsigned blocks = 2, unsigned threads = 64) {
    return launch_kernel(function, blocks, threads, CUstream{}, data, count);
  }
};

TEST_F(CudaKernels, Compute) {
  CUmodule module = nullptr;
  const auto scale = load(&module);
  std::vector<unsigned> values(100);
  for (unsigned i = 0; i < 100; ++i) values[i] = i;
  const auto data = allocate(400);
  ASSERT_EQ(driver().cuMemcpyHtoD_v2(data, values.data(), std::size_t{400}), CUDA_SUCCESS);
  ASSERT_EQ(launch(scale, data, 99), CUDA_SUCCESS);
  CUdeviceptr factor = 0;
  std::size_t size = 0;
  ASSERT_EQ(driver().cuModuleGetGlobal_v2(&factor, &size, module, "factor"), CUDA_SUCCESS);
  EXPECT_EQ(size, 4u);
  ASSERT_EQ(driver().cuMemsetD32_v2(factor, 5u, std::size_t{1}), CUDA_SUCCESS);
  ASSERT_EQ(launch(scale, data, 50), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuMemcpyDtoH_v2(values.data(), data, std::size_t{400}), CUDA_SUCCESS);
  for (unsigned i = 0; i < 100; ++i) EXPECT_EQ(values[i], i < 50 ? 15 * i : i < 99 ? 3 * i : i);
  EXPECT_EQ(driver().cuModuleUnload(module), CUDA_SUCCESS);
  EXPECT_EQ(launch(scale, data, 50), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver().cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
}

// Each warp reads what the other one wrote before the barrier, works for long, and writes its own anew.
const char* const kPhases = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry phases(.param .u64 data)
{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  .shared .align 4 .b32 written[2];
  ld.param.u64 %rd1, [data];
  mov.u32 %r1, %tid.x;
  shr.u32 %r2, %r1, 5;
  shl.b32 %r3, %r2, 2;
  mov.u32 %r4, written;
  add.u32 %r5, %r4, %r3;
  st.shared.u32 [%r5], 7;
  bar.sync 0;
  xor.b32 %r3, %r3, 4;
  add.u32 %r6, %r4, %r3;
  ld.shared.u32 %r7, [%r6];
  mov.u32 %r2, 0;
WORK:
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p1, %r2, ROUNDS;
  @%p1 bra WORK;
  st.shared.u32 [%r5], 99;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r7;
  ret;
}
)";

TEST_F(CudaKernels, GoOnTogetherFromABarrier) {
  for (const std::string rounds : {"4", "200"}) {
    std::string text = kPhases;
    text.replace(text.find("ROUNDS"), 6, rounds);
    CUmodule module = nullptr;
    CUfunction phases = nullptr;
    ASSERT_EQ(driver().cuModuleLoadData(&module, text.c_str()), CUDA_SUCCESS);
    ASSERT_EQ(driver().cuModuleGetFunction(&phases, module, "phases"), CUDA_SUCCESS);
    auto data = allocate(64 * 4);
    void* arguments[] = {&data};
    ASSERT_EQ(driver().cuLaunchKernel(phases, 1u, 1u, 1u, 64u, 1u, 1u, 0u, CUstream{}, arguments, nullptr),
              CUDA_SUCCESS);
    std::vector<unsigned> read(64);
    ASSERT_EQ(driver().cuMemcpyDtoH_v2(read.data(), data, std::size_t{256}), CUDA_SUCCESS);
    EXPECT_EQ(read, std::vector<unsigned>(64, 7)) << rounds;
    EXPECT_EQ(release(data), CUDA_SUCCESS);
  }
}

// Of each block a thread counts it, and waits until all are counted, but not forever.
const char* const kFull = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry full(.param .u64 data, .param .u32 count)
.maxntid 1024, 1, 1
.minnctapersm 2
{
  .reg .pred %p<4>;
  .reg .b32 %r<100>;
  .reg .b64 %rd<4>;
  mov.u32 %r1, %tid.x;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra DONE;
  ld.param.u64 %rd1, [data];
  ld.param.u32 %r2, [count];
  atom.global.add.u32 %r3, [%rd1], 1;
  mov.u32 %r4, 0;
WAIT:
  add.u32 %r4, %r4, 1;
  setp.gt.u32 %p2, %r4, 50000;
  @%p2 bra LATE;
  ld.volatile.global.u32 %r5, [%rd1];
  setp.lt.u32 %p3, %r5, %r2;
  @%p3 bra WAIT;
  bra DONE;
LATE:
  atom.global.add.u32 %r3, [%rd1+4], 1;
DONE:
  ret;
}
)";

TEST_F(CudaKernels, ThatFillTheGpuHaveAllBlocksAtOnce) {
  CUmodule module = nullptr;
  CUfunction full = nullptr;
  ASSERT_EQ(driver().cuModuleLoadData(&module, kFull), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuModuleGetFunction(&full, module, "full"), CUDA_SUCCESS);
  int multiprocessors = 0, blocks = 0, registers = 0;
  ASSERT_EQ(driver().cuDeviceGetAttribute(&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, CUdevice{0}),
            CUDA_SUCCESS);
  ASSERT_EQ(driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, full, 1024, std::size_t{0}), CUDA_SUCCESS);
  EXPECT_EQ(blocks, 2) << "as it promises";
  ASSERT_EQ(driver().cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, full), CUDA_SUCCESS);
  EXPECT_LE(registers, 32);
  const auto data = allocate(8);
  ASSERT_EQ(driver().cuMemsetD8_v2(data, static_cast<unsigned char>(0), std::size_t{8}), CUDA_SUCCESS);
  const auto all = static_cast<unsigned>(2 * multiprocessors);
  ASSERT_EQ(launch(full, data, all, all, 1024), CUDA_SUCCESS);
  unsigned counts[2] = {};
  ASSERT_EQ(driver().cuMemcpyDtoH_v2(counts, data, std::size_t{8}), CUDA_SUCCESS);
  EXPECT_EQ(counts[0], all);
  EXPECT_EQ(counts[1], 0u) << "waited for a block that had not begun";
  EXPECT_EQ(release(data), CUDA_SUCCESS);
}

// A kernel whose loads all stand before the sums that need them, or each before its own.
std::string sums_of_loads(unsigned count, bool all_first) {
  std::string loads, sums;
  const auto load = [](unsigned k) {
    return "ld.global.u32 %v" + std::to_string(k) + ", [%a + " + std::to_string(4 * k) + "];\n";
  };
  for (unsigned k = 0; k < count; ++k) {
    const auto sum = "add.u32 %s, %s, %v" + std::to_string(k) + ";\n";
    if (all_first) loads += load(k);
    sums += all_first ? sum : load(k) + sum;
  }
  return ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry sum(.param .u64 p)\n{ .reg .u64 %p, %a; .reg "
         ".u32 "
         "%s, %v<" +
         std::to_string(count) + ">;\nld.param.u64 %p, [p]; cvta.to.global.u64 %a, %p; mov.u32 %s, 0;\n" + loads +
         sums + "st.global.u32 [%a], %s;\nret; }\n";
}

TEST_F(CudaKernels, HaveTheRegistersThatTheyNeedAtOneTime) {
  const auto registers_of = [&](const std::string& text) {
    CUmodule module = nullptr;
    CUfunction kernel = nullptr;
    int count = 0;
    EXPECT_EQ(driver().cuModuleLoadData(&module, text.c_str()), CUDA_SUCCESS);
    EXPECT_EQ(driver().cuModuleGetFunction(&kernel, module, "sum"), CUDA_SUCCESS);
    EXPECT_EQ(driver().cuFuncGetAttribute(&count, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel), CUDA_SUCCESS);
    EXPECT_EQ(driver().cuModuleUnload(module), CUDA_SUCCESS);
    return count;
  };
  const int one_by_one = registers_of(sums_of_loads(100, false)), at_once = registers_of(sums_of_loads(100, true));
  EXPECT_LT(one_by_one, 16);
  EXPECT_EQ(registers_of(sums_of_loads(50, false)), one_by_one);
  EXPECT_EQ(at_once, registers_of(sums_of_loads(50, true)) + 50);
  EXPECT_EQ(registers_of(sums_of_loads(400, true)), 255) << "a GPU has no more";
}

TEST_F(CudaKernels, TellTheirArchitecture) {
  CUmodule module = nullptr;
  CUfunction kernel = nullptr;
  ASSERT_EQ(driver().cuModuleLoadData(&module, sums_of_loads(1, true).c_str()), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuModuleGetFunction(&kernel, module, "sum"), CUDA_SUCCESS);
  int of_text = 0, of_gpu = 0, major = 0, minor = 0;
  ASSERT_EQ(driver().cuFuncGetAttribute(&of_text, CU_FUNC_ATTRIBUTE_PTX_VERSION, kernel), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuFuncGetAttribute(&of_gpu, CU_FUNC_ATTRIBUTE_BINARY_VERSION, kernel), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, CUdevice{0}),
            CUDA_SUCCESS);
  ASSERT_EQ(driver().cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, CUdevice{0}),
            CUDA_SUCCESS);
  EXPECT_EQ(of_text, 70);
  EXPECT_EQ(of_gpu, 10 * major + minor);
  EXPECT_NE(of_gpu, of_text) << "the test needs a newer GPU";
}

TEST_F(CudaKernels, TakeABufferOfArguments) {
  const auto scale = load();
  const auto data = allocate(400);
  ASSERT_EQ(driver().cuMemsetD32_v2(data, 7u, std::size_t{100}), CUDA_SUCCESS);
  struct {
    CUdeviceptr data;
    unsigned count;
  } buffer{data, 100};
  std::size_t size = sizeof buffer;
  void* extra[] = {reinterpret_cast<void*>(1), &buffer, reinterpret_cast<void*>(2), &size, nullptr};
  ASSERT_EQ(driver().cuLaunchKernel(scale, 2u, 1u, 1u, 64u, 1u, 1u, 0u, CUstream{}, nullptr, extra), CUDA_SUCCESS);
  unsigned last = 0;
  ASSERT_EQ(driver().cuMemcpyDtoH_v2(&last, data + 396, std::size_t{4}), CUDA_SUCCESS);
  EXPECT_EQ(last, 21u);
}

TEST_F(CudaKernels, AreNotLoadedWithWhatIsUnknown) {
  CUmodule module = nullptr;
  const auto refusal = [&](std::string text) {
    char log[256] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
    EXPECT_EQ(driver().cuModuleLoadDataEx(&module, text.c_str(), 2u, options, values), CUDA_ERROR_INVALID_PTX);
    return std::string(log);
  };
  std::string text = kScale;
  text.replace(text.find("mad.lo.s32"), 10, "frob.b32.s");
  EXPECT_EQ(refusal(text), "PTX line 16: unknown instruction frob");
  text = kScale;
  text.replace(text.find("mad.lo.s32"), 10, "mad.lu.s32");
  EXPECT_EQ(refusal(text), "PTX line 16: mad.lu.s32: '.lu' is not simulated here");
  text = kScale;
  text.replace(text.find("%r5, 4;"), 3, "%rx");
  EXPECT_EQ(refusal(text), "PTX line 19: mul.wide.u32: register %rx is not declared");
  text = kScale;
  text.replace(text.find("bra DONE"), 8, "bra AWAY");
  EXPECT_EQ(refusal(text), "PTX line 18: no label AWAY");
  EXPECT_EQ(refusal("hello"), "PTX line 1: expected a directive, got 'hello'");
  const char elf[] =
      "\x7f"
      "ELF....";
  EXPECT_EQ(driver().cuModuleLoadData(&module, elf), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(driver().cuModuleLoad(&module, "/nonexistent"), CUDA_ERROR_FILE_NOT_FOUND);
}

TEST_F(CudaKernels, OfGccRun) {
  // Vector registers, numbered parameters, instructions for video.
  const char* const text = R"(
.version 6.0
.target sm_70
.address_size 64
.visible .func (.param .u32 value_out) minus(.param .u32 in0, .param .u32 in1)
{
  .reg .u32 %r1;
  .reg .u32 %r2;
  ld.param.u32 %r1, [in0];
  ld.param.u32 %r2, [in1];
  vsub.u32.u32.u32.add %r1, %r1, %r2, 100;
  st.param.u32 [value_out], %r1;
  ret;
}
.visible .entry pairs(.param .u64 data)
{
  .reg .v2 .u32 %v;
  .reg .v2 .u32 %w;
  .reg .u32 %r;
  .reg .u64 %p;
  .param .u32 %in<2>;
  .param .u32 %out;
  ld.param.u64 %p, [data];
  mov.v2.u32 %v, {7, 9};
  mov.v2.u32 %w, %v;
  st.param.u32 [%in0], %w.y;
  st.param.u32 [%in1], %w.x;
  call (%out), minus, (%in0, %in1);
  ld.param.u32 %r, [%out];
  st.global.v2.u32 [%p], %v;
  st.global.u32 [%p+8], %r;
  mov.u32 %r, 0x10FF0305;
  vabsdiff4.u32.u32.u32.add %r, %r, 0x20010503, 1000;
  st.global.u32 [%p+12], %r;
  mov.u32 %r, 0x7FFF8000;
  vadd2.s32.s32.s32.sat %r, %r, 0x0001FFFF, 0;
  st.global.u32 [%p+16], %r;
  ret;
}
)";
  const auto pairs = kernel_of(text, "pairs");
  const auto data = allocate(20);
  ASSERT_EQ(launch_kernel(pairs, 1, 1, CUstream{}, data), CUDA_SUCCESS);
  unsigned out[5] = {};
  ASSERT_EQ(driver().cuMemcpyDtoH_v2(out, data, sizeof out), CUDA_SUCCESS);
  EXPECT_EQ(out[0], 7u);
  EXPECT_EQ(out[1], 9u);
  EXPECT_EQ(out[2], 102u);
  EXPECT_EQ(out[3], 1000u + 0x10 + 0xFE + 2 + 2);
  EXPECT_EQ(out[4], 0x7FFF8000u);
  EXPECT_EQ(release(data), CUDA_SUCCESS);
}

TEST_F(CudaKernels, EndWithoutACurrentContext) {
  CUmodule module = nullptr;
  CUstream stream = nullptr;
  CUevent event = nullptr;
  load(&module);
  ASSERT_EQ(driver().cuStreamCreate(&stream, 0u), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuEventCreate(&event, 0u), CUDA_SUCCESS);
  CUcontext popped = nullptr;
  ASSERT_EQ(driver().cuCtxPopCurrent_v2(&popped), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuModuleUnload(module), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver().cuStreamDestroy_v2(stream), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuEventDestroy_v2(event), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuCtxPushCurrent_v2(popped), CUDA_SUCCESS);
}

TEST_F(CudaKernels, AnIllegalAddressEndsTheContext) {
  const auto scale = load();
  const auto data = allocate(400);
  EXPECT_EQ(launch(scale, data, 128), CUDA_SUCCESS);  // 400 bytes are rounded to 512
  EXPECT_EQ(driver().cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(launch(scale, data + 4096, 128), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(driver().cuStreamSynchronize(CUstream{}), CUDA_ERROR_ILLEGAL_ADDRESS);
  CUdeviceptr more = 0;
  EXPECT_EQ(driver().cuMemAlloc_v2(&more, std::size_t{4}), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(CudaKernels, TellWhatTheyAre) {
  const auto scale = load();
  int value = 0;
  EXPECT_EQ(driver().cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, scale), CUDA_SUCCESS);
  EXPECT_EQ(value, 1024);
  std::size_t offset = 0, size = 0;
  EXPECT_EQ(driver().cuFuncGetParamInfo(scale, std::size_t{1}, &offset, &size), CUDA_SUCCESS);
  EXPECT_EQ(offset, 8u);
  EXPECT_EQ(size, 4u);
  const char* name = nullptr;
  EXPECT_EQ(driver().cuFuncGetName(&name, scale), CUDA_SUCCESS);
  EXPECT_STREQ(name, "scale");
  EXPECT_EQ(driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, scale, 1024, std::size_t{0}), CUDA_SUCCESS);
  EXPECT_EQ(value, 2);
  EXPECT_EQ(launch(scale, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch(scale, 0, 0, 1, 1025), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(CudaKernels, OfLibrariesBelongToEveryContext) {
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  ASSERT_EQ(driver().cuLibraryLoadData(&library, kScale, nullptr, nullptr, 0u, nullptr, nullptr, 0u), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuLibraryGetKernel(&kernel, library, "scale"), CUDA_SUCCESS);
  const auto data = allocate(400);
  ASSERT_EQ(driver().cuMemsetD32_v2(data, 2u, std::size_t{100}), CUDA_SUCCESS);
  EXPECT_EQ(launch(reinterpret_cast<CUfunction>(kernel), data, 100), CUDA_SUCCESS);
  unsigned first = 0;
  EXPECT_EQ(driver().cuMemcpyDtoH_v2(&first, data, std::size_t{4}), CUDA_SUCCESS);
  EXPECT_EQ(first, 6u);
  EXPECT_EQ(driver().cuLibraryUnload(library), CUDA_SUCCESS);
  EXPECT_EQ(launch(reinterpret_cast<CUfunction>(kernel), data, 100), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(CudaKernels, CanBeSkipped) {
  const auto scale = load();
  setenv("NVMLKIT_CUDA_KERNELS", "skip", 1);
  EXPECT_EQ(launch(scale, 4096, 100), CUDA_SUCCESS);
  unsetenv("NVMLKIT_CUDA_KERNELS");
  EXPECT_EQ(driver().cuCtxSynchronize(), CUDA_SUCCESS);
}

// What another process sees of this one through NVML.
TEST(CudaProcess, IsListedWhileItRuns) {
  const auto state = std::filesystem::temp_directory_path() / ("nvmlkit-cuda-" + std::to_string(getpid()));
  std::string error;
  const auto machine = sim::load_machine({{"NVMLKIT_MACHINE", "h100"}}, error);
  ASSERT_TRUE(machine && sim::state::save(*machine, state.string(), "h100", error)) << error;
  setenv("NVMLKIT_STATE", state.c_str(), 1);
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const auto child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(1);  // who reads our output need not wait for it
    CUcontext context = nullptr;
    CUmodule module = nullptr;
    CUfunction scale = nullptr;
    CUdeviceptr data = 0;
    unsigned count = 100;
    void* arguments[] = {&data, &count};
    const bool good =
        driver().cuInit(0u) == CUDA_SUCCESS && driver().cuCtxCreate_v2(&context, 0u, 1) == CUDA_SUCCESS &&
        driver().cuMemAlloc_v2(&data, std::size_t{64} << 20) == CUDA_SUCCESS &&
        driver().cuModuleLoadData(&module, kScale) == CUDA_SUCCESS &&
        driver().cuModuleGetFunction(&scale, module, "scale") == CUDA_SUCCESS &&
        driver().cuLaunchKernel(scale, 1u, 1u, 1u, 64u, 1u, 1u, 0u, CUstream{}, arguments, nullptr) == CUDA_SUCCESS &&
        driver().cuCtxSynchronize() == CUDA_SUCCESS;
    if (write(ready[1], good ? "y" : "n", 1) == 1) pause();
    _exit(0);
  }
  close(ready[1]);  // a child that died writes nothing, and nobody waits for it
  char answer = 0;
  ASSERT_EQ(read(ready[0], &answer, 1), 1);
  ASSERT_EQ(answer, 'y');

  void* const nvml = dlopen(NVMLKIT_TEST_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(nvml, nullptr);
  const auto ask = [&]<class... Args>(const char* name, Args... args) {
    return reinterpret_cast<int (*)(Args...)>(dlsym(nvml, name))(args...);
  };
  struct Process {
    unsigned pid;
    unsigned long long memory;
    unsigned instances[2];
  } processes[4] = {};
  struct {
    unsigned gpu, memory;
  } utilization{};
  unsigned count = 4;
  void* device = nullptr;
  ASSERT_EQ(ask("nvmlInit_v2"), 0);
  ASSERT_EQ(ask("nvmlDeviceGetHandleByIndex_v2", 1u, &device), 0);
  EXPECT_EQ(ask("nvmlDeviceGetComputeRunningProcesses_v3", device, &count, &processes[0]), 0);
  ASSERT_EQ(count, 1u);
  EXPECT_EQ(processes[0].pid, static_cast<unsigned>(child));
  EXPECT_GE(processes[0].memory, 64ull << 20);
  EXPECT_EQ(ask("nvmlDeviceGetUtilizationRates", device, &utilization), 0);
  EXPECT_GT(utilization.gpu, 0u);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  count = 4;
  EXPECT_EQ(ask("nvmlDeviceGetComputeRunningProcesses_v3", device, &count, &processes[0]), 0);
  EXPECT_EQ(count, 0u);
  std::filesystem::remove(state);
}

}  // namespace
}  // namespace nvmlkit::cuda_test
