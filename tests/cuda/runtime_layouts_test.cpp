// The runtimes of three versions of CUDA, each with the structs of its own headers; places of members were measured
// there.
#include <algorithm>
#include <array>
#include <cstring>
#include <ostream>
#include <string_view>

#include "loaded.hpp"

namespace nvmlkit::cuda_test {
namespace {

constexpr unsigned char kUntouched = 0xa5;

struct Layout {
  const char* library;
  const char* function;
  std::size_t size, multiprocessors, surface_alignment, l2_cache, registers, most_blocks, reserved_shared;
  std::size_t cluster_launch;  // 0: has none
  std::size_t function_attributes, pointer_attributes;
};
constexpr Layout kLayouts[] = {
    {NVMLKIT_TEST_CUDART "11.0", "cudaGetDeviceProperties", 728, 388, 568, 616, 648, 712, 720, 0, 56, 24},
    {NVMLKIT_TEST_CUDART "12", "cudaGetDeviceProperties", 728, 388, 568, 616, 648, 712, 720, 0, 144, 24},
    {NVMLKIT_TEST_CUDART "12", "cudaGetDeviceProperties_v2", 1032, 388, 568, 616, 648, 712, 720, 772, 144, 24},
    {NVMLKIT_TEST_CUDART "13", "cudaGetDeviceProperties", 1008, 384, 552, 596, 632, 688, 696, 748, 144, 88},
};

void PrintTo(const Layout& l, std::ostream* out) {
  *out << l.function << " of " << std::string_view(l.library).substr(std::string_view(l.library).rfind('/') + 1);
}

class CudaRuntimes : public testing::TestWithParam<Layout> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(library());  // of the driver: the runtime finds this one
    runtime_ = dlopen(GetParam().library, RTLD_NOW | RTLD_LOCAL);
    ASSERT_TRUE(runtime_) << dlerror();
    bytes_.fill(kUntouched);
  }

  template <class Result = int, class... Args>
  Result ask(const char* name, Args... args) {
    void* const address = dlsym(runtime_, name);
    if (!address) ADD_FAILURE() << "no " << name;
    return address ? reinterpret_cast<Result (*)(Args...)>(address)(args...) : Result{};
  }
  void* out() { return bytes_.data(); }
  template <class T = int>
  long long at(std::size_t offset) const {
    T value{};
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return static_cast<long long>(value);
  }
  // Every byte of the struct was written, and none behind it.
  void expect_size(std::size_t size) const {
    EXPECT_EQ(std::count(bytes_.begin() + static_cast<std::ptrdiff_t>(size), bytes_.end(), kUntouched),
              static_cast<std::ptrdiff_t>(bytes_.size() - size));
    EXPECT_NE(bytes_[size - 1], kUntouched);
  }
  static int attribute(CUdevice_attribute which) {
    int value = -1;
    EXPECT_EQ(call("cuDeviceGetAttribute", &value, which, CUdevice{0}), CUDA_SUCCESS);
    return value;
  }

  void* runtime_ = nullptr;
  std::array<unsigned char, 1200> bytes_{};
};

TEST_P(CudaRuntimes, WritePropertiesWhereTheirHeadersHaveThem) {
  const auto& l = GetParam();
  ASSERT_EQ(ask(l.function, out(), 0), 0);
  expect_size(l.size);
  EXPECT_EQ(at(l.multiprocessors), attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  EXPECT_EQ(at<std::size_t>(l.surface_alignment), attribute(CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT));
  EXPECT_EQ(at(l.l2_cache), attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
  EXPECT_EQ(at(l.registers), attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR));
  EXPECT_EQ(at(l.most_blocks), attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR));
  EXPECT_EQ(at<std::size_t>(l.reserved_shared), attribute(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK));
  if (l.cluster_launch) {
    EXPECT_EQ(at(l.cluster_launch), attribute(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH));
  }
}

TEST_P(CudaRuntimes, WriteAttributesOfPointers) {
  void* memory = nullptr;
  ASSERT_EQ(ask("cudaMalloc", &memory, std::size_t{64}), 0);
  ASSERT_EQ(ask("cudaPointerGetAttributes", out(), static_cast<const void*>(memory)), 0);
  expect_size(GetParam().pointer_attributes);
  EXPECT_EQ(at<std::uintptr_t>(8), reinterpret_cast<long long>(memory));
  EXPECT_EQ(ask("cudaFree", memory), 0);
}

// What the host code of nvcc registers, with text in place of a fat binary.
TEST_P(CudaRuntimes, WriteAttributesOfKernels) {
  const char* const text =
      ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p) .maxntid 64, 1, 1 { ret; }\n";
  auto** const binary = ask<void**>("__cudaRegisterFatBinary", static_cast<const void*>(text));
  void* const none = nullptr;
  ask("__cudaRegisterFunction", binary, static_cast<const void*>(this), "k", "k", -1, none, none, none, none, none);
  ASSERT_EQ(ask("cudaFuncGetAttributes", out(), static_cast<const void*>(this)), 0);
  expect_size(GetParam().function_attributes);
  EXPECT_EQ(at(24), 64);  // threads of a block
  ask("__cudaUnregisterFatBinary", binary);
}

// A program whose code cannot be loaded goes on: its variables are there for the host, and calls say what is wrong.
TEST_P(CudaRuntimes, LetProgramsWithoutCodeGoOn) {
  constexpr int kInvalidImage = 200, kInvalidPtx = 218;
  const char* const unknown = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() { bogus.b32 1; }\n";
  const std::uint64_t too_long[] = {0x00100001BA55ED50, std::uint64_t{1} << 50};
  const struct {
    unsigned magic = 0x466243B1, version = 1;
    const std::uint64_t* region = nullptr;
    const void* more = nullptr;
  } broken{.region = too_long};
  const struct {
    const void* image;
    int error;
  } images[] = {{unknown, kInvalidPtx}, {&broken, kInvalidImage}};
  for (const auto& [image, error] : images) {
    auto** const binary = ask<void**>("__cudaRegisterFatBinary", image);
    void* const none = nullptr;
    void* managed = nullptr;
    char variable = 0;
    const void* const kernel = image;
    ask("__cudaRegisterFunction", binary, kernel, "k", "k", -1, none, none, none, none, none);
    ask("__cudaRegisterVar", binary, &variable, "v", "v", 0, std::size_t{4}, 0, 0);
    ask("__cudaRegisterManagedVar", binary, &managed, "m", "m", 0, std::size_t{1000}, 0, 0);
    EXPECT_EQ(ask<char>("__cudaInitModule", binary), 0);
    ASSERT_TRUE(managed);
    std::memset(managed, 1, 1000);

    void* address = nullptr;
    int value = 0;
    std::size_t size = 0;
    const struct { unsigned x = 1, y = 1, z = 1; } one;
    const void* const symbols[] = {&variable, managed};
    for (const auto* const symbol : symbols) {
      EXPECT_EQ(ask("cudaGetSymbolAddress", &address, symbol), error);
      EXPECT_EQ(ask("cudaGetSymbolSize", &size, symbol), error);
      EXPECT_EQ(ask("cudaMemcpyToSymbol", symbol, &value, sizeof value, std::size_t{0}, 1), error);
      EXPECT_EQ(ask("cudaMemcpyFromSymbolAsync", &value, symbol, sizeof value, std::size_t{0}, 2, none), error);
    }
    EXPECT_EQ(ask("cudaFuncGetAttributes", out(), kernel), error);
    EXPECT_EQ(ask("cudaOccupancyMaxActiveBlocksPerMultiprocessor", &value, kernel, 32, std::size_t{0}), error);
    EXPECT_EQ(ask("cudaLaunchKernel", kernel, one, one, none, std::size_t{0}, none), error);
    EXPECT_EQ(ask("cudaLaunchCooperativeKernel", kernel, one, one, none, std::size_t{0}, none), error);
    EXPECT_EQ(ask("cudaGetLastError"), error);
    EXPECT_EQ(ask("cudaDeviceSynchronize"), 0);
    ask("__cudaUnregisterFatBinary", binary);
  }
}

// A program may release the primary context more often than it has retained it, as other tests of a process do.
TEST_P(CudaRuntimes, StartAgainWhereTheirContextHasEnded) {
  void* memory = nullptr;
  ASSERT_EQ(ask("cudaMalloc", &memory, std::size_t{64}), 0);
  unsigned flags = 0;
  int is_active = 1;
  for (int turn = 0; is_active != 0 && turn < 100; ++turn) {
    ASSERT_EQ(call("cuDevicePrimaryCtxRelease_v2", CUdevice{0}), CUDA_SUCCESS);
    ASSERT_EQ(call("cuDevicePrimaryCtxGetState", CUdevice{0}, &flags, &is_active), CUDA_SUCCESS);
  }
  ASSERT_EQ(is_active, 0);
  ASSERT_EQ(call("cuCtxSetCurrent", CUcontext{}), CUDA_SUCCESS);
  ASSERT_EQ(ask("cudaMalloc", &memory, std::size_t{64}), 0);
  EXPECT_EQ(ask("cudaFree", memory), 0);
}

// Host code hands over what the pointer of a managed variable points to.
TEST_P(CudaRuntimes, FindManagedVariablesByTheirPlace) {
  const char* const text =
      ".version 7.0\n.target sm_70\n.address_size 64\n.visible .global .attribute(.managed) .u32 m[3] = {7, 8, 9};\n";
  auto** const binary = ask<void**>("__cudaRegisterFatBinary", static_cast<const void*>(text));
  int* managed = nullptr;
  ask("__cudaRegisterManagedVar", binary, &managed, "m", "m", 0, std::size_t{12}, 0, 0);
  ASSERT_EQ(ask<char>("__cudaInitModule", binary), 1);
  void* address = nullptr;
  const void* const symbol = managed;
  EXPECT_EQ(ask("cudaGetSymbolAddress", &address, symbol), 0);
  EXPECT_EQ(address, managed);
  int values[3] = {};
  EXPECT_EQ(ask("cudaMemcpyFromSymbol", values, symbol, sizeof values, std::size_t{0}, 2), 0);
  EXPECT_EQ(values[0] + 10 * values[1] + 100 * values[2], 987);
  ask("__cudaUnregisterFatBinary", binary);
}

INSTANTIATE_TEST_SUITE_P(Of, CudaRuntimes, testing::ValuesIn(kLayouts));

}  // namespace
}  // namespace nvmlkit::cuda_test
