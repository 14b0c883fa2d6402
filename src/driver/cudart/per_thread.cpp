// What programs call that were built for a default stream per thread (`nvcc -default-stream per-thread`), beside those
// that stand in the files of their subjects.
#include "driver/cudart/runtime.hpp"

namespace nvmlkit::cudart {

// A function without a stream.
#define NVMLKIT_PER_THREAD(name, parameters, arguments) \
  NVMLKIT_RUNTIME Error name parameters;                \
  NVMLKIT_RUNTIME Error name##_ptds parameters {        \
    const OfThread of_thread;                           \
    return name arguments;                              \
  }
#define NVMLKIT_PER_THREAD_IN_STREAM(name, parameters, arguments) \
  NVMLKIT_RUNTIME Error name parameters;                          \
  NVMLKIT_RUNTIME Error name##_ptsz parameters { return name arguments; }

using Size = std::size_t;
using Flags = unsigned long long;

NVMLKIT_PER_THREAD(cudaMemcpy2D,
                   (void* to, Size to_pitch, const void* from, Size pitch, Size width, Size height, int kind),
                   (to, to_pitch, from, pitch, width, height, kind))
NVMLKIT_PER_THREAD_IN_STREAM(cudaMemcpy2DAsync,
                             (void* to, Size to_pitch, const void* from, Size pitch, Size width, Size height, int kind,
                              CUstream stream),
                             (to, to_pitch, from, pitch, width, height, kind, per_thread(stream)))
NVMLKIT_PER_THREAD(cudaMemcpy3D, (const Copy3D* box), (box))
NVMLKIT_PER_THREAD_IN_STREAM(cudaMemcpy3DAsync, (const Copy3D* box, CUstream stream), (box, per_thread(stream)))
NVMLKIT_PER_THREAD(cudaMemset2D, (void* to, Size pitch, int value, Size width, Size height),
                   (to, pitch, value, width, height))
NVMLKIT_PER_THREAD_IN_STREAM(cudaMemset2DAsync,
                             (void* to, Size pitch, int value, Size width, Size height, CUstream stream),
                             (to, pitch, value, width, height, per_thread(stream)))
NVMLKIT_PER_THREAD(cudaMemset3D, (Pitched to, int value, Extent extent), (to, value, extent))
NVMLKIT_PER_THREAD_IN_STREAM(cudaMemset3DAsync, (Pitched to, int value, Extent extent, CUstream stream),
                             (to, value, extent, per_thread(stream)))
NVMLKIT_PER_THREAD(cudaMemcpyToSymbol, (const void* symbol, const void* from, Size size, Size offset, int kind),
                   (symbol, from, size, offset, kind))
NVMLKIT_PER_THREAD_IN_STREAM(cudaMemcpyToSymbolAsync,
                             (const void* symbol, const void* from, Size size, Size offset, int kind, CUstream stream),
                             (symbol, from, size, offset, kind, per_thread(stream)))
NVMLKIT_PER_THREAD(cudaMemcpyFromSymbol, (void* to, const void* symbol, Size size, Size offset, int kind),
                   (to, symbol, size, offset, kind))
NVMLKIT_PER_THREAD_IN_STREAM(cudaMemcpyFromSymbolAsync,
                             (void* to, const void* symbol, Size size, Size offset, int kind, CUstream stream),
                             (to, symbol, size, offset, kind, per_thread(stream)))
NVMLKIT_PER_THREAD(cudaMemcpy2DToArray,
                   (void* array, Size x, Size y, const void* from, Size pitch, Size width, Size height, int kind),
                   (array, x, y, from, pitch, width, height, kind))
NVMLKIT_PER_THREAD_IN_STREAM(cudaMemcpy2DToArrayAsync,
                             (void* array, Size x, Size y, const void* from, Size pitch, Size width, Size height,
                              int kind, CUstream stream),
                             (array, x, y, from, pitch, width, height, kind, per_thread(stream)))
NVMLKIT_PER_THREAD(cudaMemcpy2DFromArray,
                   (void* to, Size pitch, void* array, Size x, Size y, Size width, Size height, int kind),
                   (to, pitch, array, x, y, width, height, kind))
NVMLKIT_PER_THREAD_IN_STREAM(cudaMemcpy2DFromArrayAsync,
                             (void* to, Size pitch, void* array, Size x, Size y, Size width, Size height, int kind,
                              CUstream stream),
                             (to, pitch, array, x, y, width, height, kind, per_thread(stream)))
NVMLKIT_PER_THREAD_IN_STREAM(cudaGraphInstantiateWithParams,
                             (CUgraphExec * out, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS* params),
                             (out, graph, params))
NVMLKIT_PER_THREAD_IN_STREAM(cudaEventRecordWithFlags, (CUevent event, CUstream stream, unsigned flags),
                             (event, per_thread(stream), flags))

// What asks for the functions of its own kind of default stream gets those with one per thread.
inline constexpr Flags kOfPerThread = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
#if NVMLKIT_CUDART_VERSION < 12000
NVMLKIT_PER_THREAD_IN_STREAM(cudaGetDriverEntryPoint, (const char* symbol, void** function, Flags flags),
                             (symbol, function, flags ? flags : kOfPerThread))
#else
NVMLKIT_PER_THREAD_IN_STREAM(cudaGetDriverEntryPoint, (const char* symbol, void** function, Flags flags, int* status),
                             (symbol, function, flags ? flags : kOfPerThread, status))
#endif
NVMLKIT_PER_THREAD_IN_STREAM(cudaGetDriverEntryPointByVersion,
                             (const char* symbol, void** function, unsigned version, Flags flags, int* status),
                             (symbol, function, version, flags ? flags : kOfPerThread, status))

#undef NVMLKIT_PER_THREAD
#undef NVMLKIT_PER_THREAD_IN_STREAM
}  // namespace nvmlkit::cudart
