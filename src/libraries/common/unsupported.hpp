// Functions that a library does not simulate.
#pragma once

#define NVMLKIT_LIBRARY_EXPORT extern "C" __attribute__((visibility("default")))

namespace nvmlkit::libraries {

// Prints one line, the first time for each function.
void note_unsupported(const char* function);
// The same for a case of a function that is simulated: "cublasGemmEx of CUDA_R_4F_E2M1".
void note_unsupported(const char* function, const char* what);

}  // namespace nvmlkit::libraries
