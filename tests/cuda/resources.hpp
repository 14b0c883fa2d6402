// What tests of resources share: a kernel that tells how many multiprocessors it sees.
#pragma once

#include "loaded.hpp"

namespace nvmlkit::cuda_test {

inline const char* const kTell = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry tell(.param .u64 where, .param .u32 added)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [where];
  ld.param.u32 %r1, [added];
  mov.u32 %r2, %nsmid;
  add.u32 %r3, %r1, %r2;
  st.global.u32 [%rd1], %r3;
  ret;
}
)";

class CudaResources : public WithContext {
 protected:
  CUfunction tell() {
    CUmodule made = nullptr;
    CUfunction function = nullptr;
    EXPECT_EQ(driver().cuModuleLoadData(&made, kTell), CUDA_SUCCESS);
    EXPECT_EQ(driver().cuModuleGetFunction(&function, made, "tell"), CUDA_SUCCESS);
    return function;
  }
  unsigned at(CUdeviceptr address) {
    unsigned value = 0;
    EXPECT_EQ(driver().cuCtxSynchronize(), CUDA_SUCCESS);
    EXPECT_EQ(driver().cuMemcpyDtoH_v2(&value, address, sizeof value), CUDA_SUCCESS);
    return value;
  }
};

}  // namespace nvmlkit::cuda_test
