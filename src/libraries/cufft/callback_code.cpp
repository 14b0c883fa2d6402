#include "libraries/cufft/callback_code.hpp"

namespace nvmlkit::cufft {
namespace {

constexpr const char* kName = "nvmlkit_cufft_callback";

const char* element_text(cudaDataType type) {
  switch (type) {
    case CUDA_R_32F:
      return "float";
    case CUDA_R_64F:
      return "double";
    case CUDA_C_32F:
      return "float2";
    default:
      return "double2";
  }
}

// `linkage`: of the callback's declaration.
std::string source_of(cufftXtCallbackType type, const std::string& symbol, const std::string& linkage) {
  const bool loads = is_load(type);
  const std::string element = std::string("using Element = ") + element_text(element_of(type)) + ";\n";
  const std::string declared = loads ? "Element " + symbol + "(void*, unsigned long long, void*, void*);\n"
                                     : "void " + symbol + "(void*, unsigned long long, Element, void*, void*);\n";
  const std::string called = loads ? "elements[offset] = " + symbol + "(memory, offset, info, shared);\n"
                                   : symbol + "(memory, offset, elements[offset], info, shared);\n";
  return element + linkage + " __device__ " + declared + R"(
struct Box { unsigned long long count, sizes[4], strides[4]; };
extern "C" __global__ void nvmlkit_cufft_callback(Element* elements, void* memory, void* info, Box box) {
  extern __shared__ __align__(16) unsigned char shared[];
  unsigned long long at = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x, offset = 0;
  if (at >= box.count) return;
  for (int d = 3; d >= 0; --d) {
    offset += at % box.sizes[d] * box.strides[d];
    at /= box.sizes[d];
  }
  )" + called +
         "}\n";
}

}  // namespace

bool is_load(cufftXtCallbackType type) { return type < CUFFT_CB_ST_COMPLEX; }

cudaDataType element_of(cufftXtCallbackType type) {
  switch (type) {
    case CUFFT_CB_LD_COMPLEX:
    case CUFFT_CB_ST_COMPLEX:
      return CUDA_C_32F;
    case CUFFT_CB_LD_REAL:
    case CUFFT_CB_ST_REAL:
      return CUDA_R_32F;
    case CUFFT_CB_LD_REAL_DOUBLE:
    case CUFFT_CB_ST_REAL_DOUBLE:
      return CUDA_R_64F;
    default:
      return CUDA_C_64F;
  }
}

libraries::KernelText callback_kernel(cufftXtCallbackType type, const std::string& symbol) {
  return {kName, {source_of(type, symbol, "extern \"C++\""), source_of(type, symbol, "extern \"C\"")}};
}

}  // namespace nvmlkit::cufft
