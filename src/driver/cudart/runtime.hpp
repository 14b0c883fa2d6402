// Common parts of the runtime's functions: errors, the device of a thread, its context.
#pragma once

#include "driver/cudart/generated/api.hpp"

#define NVMLKIT_RUNTIME extern "C" __attribute__((visibility("default")))

namespace nvmlkit::cudart {

inline constexpr Error kInvalidValue = 1, kInitializationError = 3, kInvalidConfiguration = 9, kInvalidSymbol = 13,
                       kInvalidTexture = 18, kInvalidDirection = 21, kMissingConfiguration = 52,
                       kInvalidDeviceFunction = 98, kNoDevice = 100, kNotReady = 600, kNotSupported = 801;

// Keeps the error for cudaGetLastError, and gives it back. What is only not ready is no error.
Error keep(Error error);
inline Error keep(CUresult result) { return keep(static_cast<Error>(result)); }
Error last_error(bool forget);

// Text of an error, or of none that is known.
const char* name_of(Error error);
// Puts an error into the log that programs may read (logs.cpp).
void log(Error error);

// Starts the driver, once; the error of that.
CUresult start();
// The same, and the primary context of the thread's device made current, unless the program has made another one so.
CUresult ready();

int thread_device();
Error set_thread_device(int device);
// The context of a device, retained for as long as the process lives.
CUresult context_of(int device, CUcontext* context);

// keep(work()) in a context.
template <class Work>
Error with_context(Work work) {
  if (const auto refused = ready(); refused != CUDA_SUCCESS) return keep(refused);
  return keep(work());
}

inline CUcontext current_context() {
  CUcontext context = nullptr;
  cuCtxGetCurrent(&context);
  return context;
}

// For what has nothing to do: a stream that it names has to be there all the same.
inline CUresult nothing_in(const CUstream* stream) {
  unsigned flags = 0;
  return stream ? cuStreamGetFlags(*stream, &flags) : CUDA_SUCCESS;
}

// Bytes of an element of an array; 0 for what is none.
std::size_t element_size(const void* array);

// What a copy is to the driver; an error where it is none.
Error read_copy(const Copy3D* copy, CUDA_MEMCPY3D& out);

// Kernels and variables that the program registered (registration.cpp).
CUresult function_of(const void* symbol, CUfunction* out);
CUresult kernel_of(const void* symbol, CUkernel* out);
CUresult variable_of(const void* symbol, CUdeviceptr* address, std::size_t* size);

// Texture and surface references of the program, the same.
CUresult texture_of(const void* host, CUtexref* texture, bool* as_float);
CUresult surface_of(const void* host, CUsurfref* surface);
bool is_texture(const void* host);

inline CUdeviceptr address_of(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }
inline CUstream per_thread(CUstream stream) { return stream ? stream : reinterpret_cast<CUstream>(2); }

// While one lives, functions without a stream mean the default stream of the thread.
class OfThread {
 public:
  OfThread() { ++depth_; }
  ~OfThread() { --depth_; }
  OfThread(const OfThread&) = delete;
  OfThread& operator=(const OfThread&) = delete;

  // Of a function of the driver and its variant for that stream, the one that is meant.
  template <class Function>
  static Function* choose(Function* plain, Function* of_thread) {
    return depth_ > 0 ? of_thread : plain;
  }

 private:
  static inline constinit thread_local int depth_ = 0;
};
#define NVMLKIT_BY_DEFAULT(function) OfThread::choose(&function, &function##_ptds)

}  // namespace nvmlkit::cudart
