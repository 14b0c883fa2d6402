// The names that programs use which nvcc built with a default stream per thread, where there is nothing else to them.
#include "driver/cudart/runtime.hpp"

namespace nvmlkit::cudart {

NVMLKIT_RUNTIME Error cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                   std::size_t width, std::size_t height, int kind);
NVMLKIT_RUNTIME Error cudaMemcpy2D_ptds(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                        std::size_t width, std::size_t height, int kind) {
  return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}

NVMLKIT_RUNTIME Error cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                        std::size_t width, std::size_t height, int kind, CUstream stream);
NVMLKIT_RUNTIME Error cudaMemcpy2DAsync_ptsz(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                             std::size_t width, std::size_t height, int kind, CUstream stream) {
  return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, per_thread(stream));
}

NVMLKIT_RUNTIME Error cudaMemcpy3D(const Copy3D* copy);
NVMLKIT_RUNTIME Error cudaMemcpy3D_ptds(const Copy3D* copy) { return cudaMemcpy3D(copy); }

NVMLKIT_RUNTIME Error cudaMemcpy3DAsync(const Copy3D* copy, CUstream stream);
NVMLKIT_RUNTIME Error cudaMemcpy3DAsync_ptsz(const Copy3D* copy, CUstream stream) {
  return cudaMemcpy3DAsync(copy, per_thread(stream));
}

NVMLKIT_RUNTIME Error cudaMemcpy2DToArray(void* array, std::size_t x, std::size_t y, const void* from,
                                          std::size_t pitch, std::size_t width, std::size_t height, int kind);
NVMLKIT_RUNTIME Error cudaMemcpy2DToArray_ptds(void* array, std::size_t x, std::size_t y, const void* from,
                                               std::size_t pitch, std::size_t width, std::size_t height, int kind) {
  return cudaMemcpy2DToArray(array, x, y, from, pitch, width, height, kind);
}

NVMLKIT_RUNTIME Error cudaMemcpy2DToArrayAsync(void* array, std::size_t x, std::size_t y, const void* from,
                                               std::size_t pitch, std::size_t width, std::size_t height, int kind,
                                               CUstream stream);
NVMLKIT_RUNTIME Error cudaMemcpy2DToArrayAsync_ptsz(void* array, std::size_t x, std::size_t y, const void* from,
                                                    std::size_t pitch, std::size_t width, std::size_t height, int kind,
                                                    CUstream stream) {
  return cudaMemcpy2DToArrayAsync(array, x, y, from, pitch, width, height, kind, per_thread(stream));
}

NVMLKIT_RUNTIME Error cudaMemcpy2DFromArray(void* to, std::size_t pitch, void* array, std::size_t x, std::size_t y,
                                            std::size_t width, std::size_t height, int kind);
NVMLKIT_RUNTIME Error cudaMemcpy2DFromArray_ptds(void* to, std::size_t pitch, void* array, std::size_t x, std::size_t y,
                                                 std::size_t width, std::size_t height, int kind) {
  return cudaMemcpy2DFromArray(to, pitch, array, x, y, width, height, kind);
}

NVMLKIT_RUNTIME Error cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, void* array, std::size_t x, std::size_t y,
                                                 std::size_t width, std::size_t height, int kind, CUstream stream);
NVMLKIT_RUNTIME Error cudaMemcpy2DFromArrayAsync_ptsz(void* to, std::size_t pitch, void* array, std::size_t x,
                                                      std::size_t y, std::size_t width, std::size_t height, int kind,
                                                      CUstream stream) {
  return cudaMemcpy2DFromArrayAsync(to, pitch, array, x, y, width, height, kind, per_thread(stream));
}

NVMLKIT_RUNTIME Error cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t size, std::size_t offset,
                                         int kind);
NVMLKIT_RUNTIME Error cudaMemcpyToSymbol_ptds(const void* symbol, const void* from, std::size_t size,
                                              std::size_t offset, int kind) {
  return cudaMemcpyToSymbol(symbol, from, size, offset, kind);
}

NVMLKIT_RUNTIME Error cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t size, std::size_t offset,
                                           int kind);
NVMLKIT_RUNTIME Error cudaMemcpyFromSymbol_ptds(void* to, const void* symbol, std::size_t size, std::size_t offset,
                                                int kind) {
  return cudaMemcpyFromSymbol(to, symbol, size, offset, kind);
}

NVMLKIT_RUNTIME Error cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t size,
                                              std::size_t offset, int kind, CUstream stream);
NVMLKIT_RUNTIME Error cudaMemcpyToSymbolAsync_ptsz(const void* symbol, const void* from, std::size_t size,
                                                   std::size_t offset, int kind, CUstream stream) {
  return cudaMemcpyToSymbolAsync(symbol, from, size, offset, kind, per_thread(stream));
}

NVMLKIT_RUNTIME Error cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t size, std::size_t offset,
                                                int kind, CUstream stream);
NVMLKIT_RUNTIME Error cudaMemcpyFromSymbolAsync_ptsz(void* to, const void* symbol, std::size_t size, std::size_t offset,
                                                     int kind, CUstream stream) {
  return cudaMemcpyFromSymbolAsync(to, symbol, size, offset, kind, per_thread(stream));
}

NVMLKIT_RUNTIME Error cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height);
NVMLKIT_RUNTIME Error cudaMemset2D_ptds(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  return cudaMemset2D(to, pitch, value, width, height);
}

NVMLKIT_RUNTIME Error cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                                        CUstream stream);
NVMLKIT_RUNTIME Error cudaMemset2DAsync_ptsz(void* to, std::size_t pitch, int value, std::size_t width,
                                             std::size_t height, CUstream stream) {
  return cudaMemset2DAsync(to, pitch, value, width, height, per_thread(stream));
}

NVMLKIT_RUNTIME Error cudaMemset3D(Pitched to, int value, Extent extent);
NVMLKIT_RUNTIME Error cudaMemset3D_ptds(Pitched to, int value, Extent extent) {
  return cudaMemset3D(to, value, extent);
}

NVMLKIT_RUNTIME Error cudaMemset3DAsync(Pitched to, int value, Extent extent, CUstream stream);
NVMLKIT_RUNTIME Error cudaMemset3DAsync_ptsz(Pitched to, int value, Extent extent, CUstream stream) {
  return cudaMemset3DAsync(to, value, extent, per_thread(stream));
}

NVMLKIT_RUNTIME Error cudaEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags);
NVMLKIT_RUNTIME Error cudaEventRecordWithFlags_ptsz(CUevent event, CUstream stream, unsigned flags) {
  return cudaEventRecordWithFlags(event, per_thread(stream), flags);
}

NVMLKIT_RUNTIME Error cudaGraphInstantiateWithParams(CUgraphExec* out, CUgraph graph,
                                                     CUDA_GRAPH_INSTANTIATE_PARAMS* params);
NVMLKIT_RUNTIME Error cudaGraphInstantiateWithParams_ptsz(CUgraphExec* out, CUgraph graph,
                                                          CUDA_GRAPH_INSTANTIATE_PARAMS* params) {
  return cudaGraphInstantiateWithParams(out, graph, params);
}

NVMLKIT_RUNTIME Error cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                                              int* status);
NVMLKIT_RUNTIME Error cudaGetDriverEntryPoint_ptsz(const char* symbol, void** function, unsigned long long flags,
                                                   int* status) {
  return cudaGetDriverEntryPoint(symbol, function, flags, status);
}

NVMLKIT_RUNTIME Error cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned version,
                                                       unsigned long long flags, int* status);
NVMLKIT_RUNTIME Error cudaGetDriverEntryPointByVersion_ptsz(const char* symbol, void** function, unsigned version,
                                                            unsigned long long flags, int* status) {
  return cudaGetDriverEntryPointByVersion(symbol, function, version, flags, status);
}

}  // namespace nvmlkit::cudart
