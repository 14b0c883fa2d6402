// The fixture of the tests of kernels: one that multiplies words by a variable of its module.
#pragma once

#include "loaded.hpp"

namespace nvmlkit::cuda_test {

inline constexpr const char* kScale = R"(
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

}  // namespace nvmlkit::cuda_test
