// cuGetProcAddress, versions, errors: all of it before cuInit. What is expected was measured on driver 550.
#include "loaded.hpp"

namespace nvmlkit::cuda_test {
namespace {

struct Found {
  std::string symbol;  // empty: null
  CUdriverProcAddressQueryResult status;
};

Found look_up(const char* name, int version, cuuint64_t flags = 0) {
  void* address = nullptr;
  CUdriverProcAddressQueryResult status{};
  EXPECT_EQ(driver().cuGetProcAddress_v2(name, &address, version, flags, &status), CUDA_SUCCESS) << name;
  Dl_info info{};
  return {address && dladdr(address, &info) && info.dli_sname ? info.dli_sname : "", status};
}

TEST(CudaEntryPoints, TheNewestThatTheProgramKnows) {
  EXPECT_EQ(look_up("cuMemAlloc", 12040).symbol, "cuMemAlloc_v2");
  EXPECT_EQ(look_up("cuMemAlloc", 2000).symbol, "cuMemAlloc");
  EXPECT_EQ(look_up("cuMemAlloc", 99999).symbol, "cuMemAlloc_v2");
  EXPECT_EQ(look_up("cuCtxCreate", 12040).symbol, "cuCtxCreate_v3");
  EXPECT_EQ(look_up("cuCtxCreate", 13000).symbol, "cuCtxCreate_v4");
  EXPECT_EQ(look_up("cuGetProcAddress", 11040).symbol, "cuGetProcAddress");
  EXPECT_EQ(look_up("cuGetProcAddress", 12000).symbol, "cuGetProcAddress_v2");
  EXPECT_EQ(look_up("cuInit", -5).symbol, "cuInit");
  EXPECT_EQ(look_up("cuGLInit", 12040).symbol, "cuGLInit");
  EXPECT_EQ(look_up("cuMemcpyBatchAsync", 12080).symbol, "cuMemcpyBatchAsync");
  EXPECT_EQ(look_up("cuMemcpyBatchAsync", 13000).symbol, "cuMemcpyBatchAsync_v2");
  EXPECT_EQ(look_up("cuLogsCurrent", 12080).status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
}

TEST(CudaEntryPoints, DefaultStreamPerThread) {
  EXPECT_EQ(look_up("cuMemcpyHtoD", 12040, 2).symbol, "cuMemcpyHtoD_v2_ptds");
  EXPECT_EQ(look_up("cuMemcpyHtoD", 12040, 3).symbol, "cuMemcpyHtoD_v2_ptds");
  EXPECT_EQ(look_up("cuMemcpyHtoD", 12040, 1).symbol, "cuMemcpyHtoD_v2");
  EXPECT_EQ(look_up("cuMemcpyHtoD", 6000, 2).status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  EXPECT_EQ(look_up("cuInit", 12040, 2).symbol, "cuInit");
}

TEST(CudaEntryPoints, WhatIsNotThere) {
  EXPECT_EQ(look_up("cuMemAlloc", 1000).status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  for (const char* name :
       {"nope", "", "cuMemAlloc_v2", "cuMemcpyHtoD_v2_ptds", "cuCheckpointProcessLock", "cudbgMain"}) {
    const auto found = look_up(name, 13000);
    EXPECT_EQ(found.symbol, "") << name;
    EXPECT_EQ(found.status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND) << name;
  }
  void* address = nullptr;
  EXPECT_EQ(driver().cuGetProcAddress("nope", &address, 12040, cuuint64_t{0}), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(driver().cuGetProcAddress_v2("cuInit", &address, 12040, cuuint64_t{4}, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(CudaErrors, NamesAndTexts) {
  const char* text = nullptr;
  EXPECT_EQ(driver().cuGetErrorName(CUDA_ERROR_OUT_OF_MEMORY, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "CUDA_ERROR_OUT_OF_MEMORY");
  EXPECT_EQ(driver().cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "out of memory");
  for (const auto unknown : {static_cast<CUresult>(~0u), static_cast<CUresult>(12345), CUDA_ERROR_CONTAINED}) {
    EXPECT_EQ(driver().cuGetErrorString(unknown, &text), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(text, nullptr);
  }
}

TEST(CudaVersion, IsTheMachinesAndNeedsNoInit) {
  int version = 0;
  EXPECT_EQ(driver().cuDriverGetVersion(&version), CUDA_SUCCESS);
  EXPECT_EQ(version, 12040);
  EXPECT_EQ(driver().cuInit(1u), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace nvmlkit::cuda_test
