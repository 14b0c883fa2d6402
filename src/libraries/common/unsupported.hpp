// Functions that a library does not simulate.
#pragma once

#define NVMLKIT_LIBRARY_EXPORT extern "C" __attribute__((visibility("default")))

namespace nvmlkit::libraries {

// Prints one line, the first time for each function.
void note_unsupported(const char* function);
// The same for a case of a function that is simulated: "cublasGemmEx of CUDA_R_4F_E2M1".
void note_unsupported(const char* function, const char* what);

// For exported functions that do nothing else.
template <class T>
T unsupported(const char* function, T answer) {
  note_unsupported(function);
  return answer;
}
inline void unsupported(const char* function) { note_unsupported(function); }

}  // namespace nvmlkit::libraries
