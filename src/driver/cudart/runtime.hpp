// What the functions of the runtime share: errors, the device of a thread, its context.
#pragma once

#include "driver/cudart/driver_api.hpp"

// The runtime's version, 13000 and so on: each of its libraries is built from these sources.
#ifndef NVMLKIT_CUDART_VERSION
#error "which version of the runtime?"
#endif

#define NVMLKIT_RUNTIME extern "C" __attribute__((visibility("default")))

namespace nvmlkit::cudart {

using Error = int;  // cudaError_t; the driver's numbers are the runtime's, and there are a few more

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

// For what has nothing to do: a stream that it names has to be there all the same.
inline CUresult nothing_in(const CUstream* stream) {
  unsigned flags = 0;
  return stream ? cuStreamGetFlags(*stream, &flags) : CUDA_SUCCESS;
}

struct Dim3 {
  unsigned x, y, z;
};

struct Pitched {
  void* pointer;
  std::size_t pitch, width, height;
};
struct Extent {
  std::size_t width, height, depth;
};
struct Place {
  std::size_t x, y, z;
};
struct Copy3D {
  void* from_array;
  Place from_place;
  Pitched from;
  void* to_array;
  Place to_place;
  Pitched to;
  Extent extent;
  int kind;
};
static_assert(sizeof(Copy3D) == 160);

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
