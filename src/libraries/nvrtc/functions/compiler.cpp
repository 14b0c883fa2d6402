#include "libraries/nvrtc/functions/compiler.hpp"

namespace nvmlkit::nvrtc::functions {

const char* text_of_error(nvrtcResult result) {
  const Next* const compiler = next();
  return compiler && compiler->GetErrorString ? compiler->GetErrorString(result)
         : result == NVRTC_SUCCESS            ? "NVRTC_SUCCESS"
                                              : "NVRTC_ERROR_INTERNAL_ERROR";
}

nvrtcResult version(int* major, int* minor) { return ask(&Next::Version, major, minor); }
nvrtcResult count_architectures(int* count) { return ask(&Next::GetNumSupportedArchs, count); }
nvrtcResult architectures(int* all) { return ask(&Next::GetSupportedArchs, all); }
nvrtcResult header_heap(std::size_t* size) { return ask(&Next::GetPCHHeapSize, size); }
nvrtcResult set_header_heap(std::size_t size) { return ask(&Next::SetPCHHeapSize, size); }

}  // namespace nvmlkit::nvrtc::functions
