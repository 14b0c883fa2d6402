// Libraries of kernels that a program loads by itself.
#include "driver/cudart/runtime.hpp"

#if NVMLKIT_CUDART_VERSION >= 12000
namespace nvmlkit::cudart {

#define NVMLKIT_PASS(name, call, ...)          \
  NVMLKIT_RUNTIME Error name(__VA_ARGS__) {    \
    return with_context([&] { return call; }); \
  }

// Options of the compiler have the driver's numbers; those of libraries too.
NVMLKIT_PASS(cudaLibraryLoadData,
             cuLibraryLoadData(library, code, options, values, count, library_options, library_values, library_count),
             CUlibrary* library, const void* code, CUjit_option* options, void** values, unsigned count,
             CUlibraryOption* library_options, void** library_values, unsigned library_count)
NVMLKIT_PASS(cudaLibraryLoadFromFile,
             cuLibraryLoadFromFile(library, name, options, values, count, library_options, library_values,
                                   library_count),
             CUlibrary* library, const char* name, CUjit_option* options, void** values, unsigned count,
             CUlibraryOption* library_options, void** library_values, unsigned library_count)
NVMLKIT_PASS(cudaLibraryUnload, cuLibraryUnload(library), CUlibrary library)
NVMLKIT_PASS(cudaLibraryGetKernel, cuLibraryGetKernel(kernel, library, name), CUkernel* kernel, CUlibrary library,
             const char* name)
NVMLKIT_PASS(cudaLibraryGetGlobal, cuLibraryGetGlobal(address, size, library, name), CUdeviceptr* address,
             std::size_t* size, CUlibrary library, const char* name)
NVMLKIT_PASS(cudaLibraryGetManaged, cuLibraryGetManaged(address, size, library, name), CUdeviceptr* address,
             std::size_t* size, CUlibrary library, const char* name)
NVMLKIT_PASS(cudaLibraryGetUnifiedFunction, cuLibraryGetUnifiedFunction(function, library, name), void** function,
             CUlibrary library, const char* name)
NVMLKIT_PASS(cudaLibraryGetKernelCount, cuLibraryGetKernelCount(count, library), unsigned* count, CUlibrary library)
NVMLKIT_PASS(cudaLibraryEnumerateKernels, cuLibraryEnumerateKernels(kernels, count, library), CUkernel* kernels,
             unsigned count, CUlibrary library)
NVMLKIT_PASS(cudaKernelSetAttributeForDevice,
             cuKernelSetAttribute(static_cast<CUfunction_attribute>(attribute), value, kernel, device), CUkernel kernel,
             int attribute, int value, int device)

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
