// GPUs as the driver shows them, on the built-in h100.
#include <cstring>

#include "loaded.hpp"

namespace nvmlkit::cuda_test {
namespace {

class CudaDevices : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(driver().cuInit(0u), CUDA_SUCCESS); }
};

int attribute(CUdevice_attribute which, CUdevice device = 0) {
  int value = -7;
  EXPECT_EQ(driver().cuDeviceGetAttribute(&value, which, device), CUDA_SUCCESS) << which;
  return value;
}

TEST_F(CudaDevices, CountAndOrdinals) {
  int count = 0;
  EXPECT_EQ(driver().cuDeviceGetCount(&count), CUDA_SUCCESS);
  EXPECT_EQ(count, 8);
  CUdevice device = -1;
  EXPECT_EQ(driver().cuDeviceGet(&device, 7), CUDA_SUCCESS);
  EXPECT_EQ(device, 7);
  EXPECT_EQ(driver().cuDeviceGet(&device, 8), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(driver().cuDeviceGet(&device, -1), CUDA_ERROR_INVALID_DEVICE);
}

TEST_F(CudaDevices, NameIsCutWhereItDoesNotFit) {
  char name[64] = {};
  EXPECT_EQ(driver().cuDeviceGetName(&name[0], 64, CUdevice{0}), CUDA_SUCCESS);
  EXPECT_STREQ(name, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(driver().cuDeviceGetName(&name[0], 7, CUdevice{0}), CUDA_SUCCESS);
  EXPECT_STREQ(name, "NVIDIA");
  EXPECT_EQ(driver().cuDeviceGetName(&name[0], 0, CUdevice{0}), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(CudaDevices, UuidIsTheOneOfNvml) {
  CUuuid first{}, second{};
  EXPECT_EQ(driver().cuDeviceGetUuid_v2(&first, CUdevice{0}), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuDeviceGetUuid(&second, CUdevice{1}), CUDA_SUCCESS);
  EXPECT_NE(std::memcmp(&first, &second, sizeof first), 0);
  void* const nvml = dlopen(NVMLKIT_TEST_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(nvml, nullptr);
  ASSERT_EQ(reinterpret_cast<int (*)()>(dlsym(nvml, "nvmlInit_v2"))(), 0);
  void* device = nullptr;
  char text[96] = {};
  reinterpret_cast<int (*)(unsigned, void**)>(dlsym(nvml, "nvmlDeviceGetHandleByIndex_v2"))(0, &device);
  reinterpret_cast<int (*)(void*, char*, unsigned)>(dlsym(nvml, "nvmlDeviceGetUUID"))(device, text, sizeof text);
  std::string hex = "GPU-";
  for (int i = 0; i < 16; ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(first.bytes[i]));
    if (i == 4 || i == 6 || i == 8 || i == 10) hex += '-';
    hex += digits;
  }
  EXPECT_EQ(hex, text);
}

TEST_F(CudaDevices, PciAddressBothWays) {
  for (CUdevice device = 0; device < 8; ++device) {
    char text[32] = {};
    CUdevice found = -1;
    EXPECT_EQ(driver().cuDeviceGetPCIBusId(&text[0], 32, device), CUDA_SUCCESS);
    EXPECT_EQ(driver().cuDeviceGetByPCIBusId(&found, const_cast<const char*>(text)), CUDA_SUCCESS);
    EXPECT_EQ(found, device) << text;
  }
  CUdevice found = -1;
  EXPECT_EQ(driver().cuDeviceGetByPCIBusId(&found, "0000:00:00.0"), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(driver().cuDeviceGetByPCIBusId(&found, "elsewhere"), CUDA_ERROR_INVALID_VALUE);
}

// As deviceQuery printed them on hardware.
TEST_F(CudaDevices, AttributesOfAnH100) {
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT), 132);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE), 1980000);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE), 2619000);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH), 5120);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE), 52428800);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR), 233472);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR), 2048);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT), 3);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_ECC_ENABLED), 1);
  int major = 0, minor = -1;
  EXPECT_EQ(driver().cuDeviceComputeCapability(&major, &minor, CUdevice{0}), CUDA_SUCCESS);
  EXPECT_EQ(10 * major + minor, 90);
}

TEST_F(CudaDevices, EveryAttributeOfTheDriverIsAnswered) {
  for (int which = 1; which <= 134; ++which) attribute(static_cast<CUdevice_attribute>(which), 7);
  int value = 0;
  for (const auto which : {0, 135, 148, 100000})
    EXPECT_EQ(driver().cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(which), CUdevice{0}),
              CUDA_ERROR_INVALID_VALUE)
        << which;
}

TEST_F(CudaDevices, PropertiesAreTheAttributes) {
  CUdevprop properties{};
  EXPECT_EQ(driver().cuDeviceGetProperties(&properties, CUdevice{0}), CUDA_SUCCESS);
  EXPECT_EQ(properties.maxThreadsPerBlock, 1024);
  EXPECT_EQ(properties.maxGridSize[0], 2147483647);
  EXPECT_EQ(properties.clockRate, attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE));
}

TEST_F(CudaDevices, PeersAreOtherGpusOfTheKind) {
  int can = -1;
  EXPECT_EQ(driver().cuDeviceCanAccessPeer(&can, CUdevice{0}, CUdevice{1}), CUDA_SUCCESS);
  EXPECT_EQ(can, 1);
  EXPECT_EQ(driver().cuDeviceCanAccessPeer(&can, CUdevice{2}, CUdevice{2}), CUDA_SUCCESS);
  EXPECT_EQ(can, 0);
  EXPECT_EQ(driver().cuDeviceGetP2PAttribute(&can, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, CUdevice{0}, CUdevice{1}),
            CUDA_SUCCESS);
  EXPECT_EQ(can, 1);
  EXPECT_EQ(driver().cuDeviceGetP2PAttribute(&can, static_cast<CUdevice_P2PAttribute>(99), CUdevice{0}, CUdevice{1}),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(CudaDevices, MemoryIn32BitsIsCut) {
  std::size_t all = 0;
  unsigned int cut = 0;
  EXPECT_EQ(driver().cuDeviceTotalMem_v2(&all, CUdevice{0}), CUDA_SUCCESS);
  EXPECT_EQ(all, 85520809984u - 503316480u);
  EXPECT_EQ(driver().cuDeviceTotalMem(&cut, CUdevice{0}), CUDA_SUCCESS);
  EXPECT_EQ(cut, 0xffffffffu);
}

}  // namespace
}  // namespace nvmlkit::cuda_test
