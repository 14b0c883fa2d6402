// Libraries of kernels that a program loads itself.
#include "driver/cudart/runtime.hpp"

#if NVMLKIT_CUDART_VERSION >= 12000
namespace nvmlkit::cudart {

NVMLKIT_RUNTIME Error cudaKernelSetAttributeForDevice(CUkernel kernel, int attribute, int value, int device) {
  return with_context(
      [&] { return cuKernelSetAttribute(static_cast<CUfunction_attribute>(attribute), value, kernel, device); });
}

NVMLKIT_RUNTIME Error cudaFuncGetParamInfo(const void* symbol, std::size_t index, std::size_t* offset,
                                           std::size_t* size) {
  return with_context([&] {
    CUfunction function = nullptr;
    const auto result = function_of(symbol, &function);
    return result == CUDA_SUCCESS ? cuFuncGetParamInfo(function, index, offset, size) : result;
  });
}

}  // namespace nvmlkit::cudart
#endif
