// Copies of arrays as before there were rectangles: so many bytes from a place on, in whole rows or within one. The
// variants for programs with a default stream per thread.
#include "driver/cudart/runtime.hpp"

namespace nvmlkit::cudart {

using Size = std::size_t;

NVMLKIT_RUNTIME Error cudaMemcpyToArray(void* array, Size x, Size y, const void* from, Size size, int kind);
NVMLKIT_RUNTIME Error cudaMemcpyFromArray(void* to, void* array, Size x, Size y, Size size, int kind);
NVMLKIT_RUNTIME Error cudaMemcpy2DToArrayAsync(void* array, Size x, Size y, const void* from, Size pitch, Size width,
                                               Size height, int kind, CUstream stream);
NVMLKIT_RUNTIME Error cudaMemcpy2DFromArrayAsync(void* to, Size pitch, void* array, Size x, Size y, Size width,
                                                 Size height, int kind, CUstream stream);
NVMLKIT_RUNTIME Error cudaMemcpy2DArrayToArray(CUarray to, Size to_x, Size to_y, CUarray from, Size from_x, Size from_y,
                                               Size width, Size height, int kind);

namespace {

// Bytes of a row of an array; 0 for what is none.
Size row_of(const void* array) {
  CUDA_ARRAY3D_DESCRIPTOR d{};
  if (ready() != CUDA_SUCCESS ||
      cuArray3DGetDescriptor_v2(&d, static_cast<CUarray>(const_cast<void*>(array))) != CUDA_SUCCESS)
    return 0;
  return d.Width * element_size(array);
}

struct Rectangle {
  Size width = 0, height = 0;
  explicit operator bool() const { return height > 0; }
};

// Nothing where the bytes are neither within a row nor whole rows.
Rectangle rectangle(Size row, Size x, Size size) {
  if (row == 0 || x > row) return {};
  if (size <= row - x) return {size, 1};
  return x == 0 && size % row == 0 ? Rectangle{row, size / row} : Rectangle{};
}

}  // namespace

NVMLKIT_RUNTIME Error cudaMemcpyToArrayAsync(void* array, Size x, Size y, const void* from, Size size, int kind,
                                             CUstream stream) {
  const auto r = rectangle(row_of(array), x, size);
  return r ? cudaMemcpy2DToArrayAsync(array, x, y, from, r.width, r.width, r.height, kind, stream)
           : keep(kInvalidValue);
}
NVMLKIT_RUNTIME Error cudaMemcpyFromArrayAsync(void* to, void* array, Size x, Size y, Size size, int kind,
                                               CUstream stream) {
  const auto r = rectangle(row_of(array), x, size);
  return r ? cudaMemcpy2DFromArrayAsync(to, r.width, array, x, y, r.width, r.height, kind, stream)
           : keep(kInvalidValue);
}
NVMLKIT_RUNTIME Error cudaMemcpyArrayToArray(CUarray to, Size to_x, Size to_y, CUarray from, Size from_x, Size from_y,
                                             Size size, int kind) {
  const auto r = rectangle(row_of(to), to_x, size), other = rectangle(row_of(from), from_x, size);
  if (!r || r.width != other.width) return keep(kInvalidValue);
  return cudaMemcpy2DArrayToArray(to, to_x, to_y, from, from_x, from_y, r.width, r.height, kind);
}

NVMLKIT_RUNTIME Error cudaMemcpyToArrayAsync_ptsz(void* array, Size x, Size y, const void* from, Size size, int kind,
                                                  CUstream stream) {
  return cudaMemcpyToArrayAsync(array, x, y, from, size, kind, per_thread(stream));
}
NVMLKIT_RUNTIME Error cudaMemcpyFromArrayAsync_ptsz(void* to, void* array, Size x, Size y, Size size, int kind,
                                                    CUstream stream) {
  return cudaMemcpyFromArrayAsync(to, array, x, y, size, kind, per_thread(stream));
}
NVMLKIT_RUNTIME Error cudaMemcpyToArray_ptds(void* array, Size x, Size y, const void* from, Size size, int kind) {
  return cudaMemcpyToArray(array, x, y, from, size, kind);
}
NVMLKIT_RUNTIME Error cudaMemcpyFromArray_ptds(void* to, void* array, Size x, Size y, Size size, int kind) {
  return cudaMemcpyFromArray(to, array, x, y, size, kind);
}
NVMLKIT_RUNTIME Error cudaMemcpyArrayToArray_ptds(CUarray to, Size to_x, Size to_y, CUarray from, Size from_x,
                                                  Size from_y, Size size, int kind) {
  return cudaMemcpyArrayToArray(to, to_x, to_y, from, from_x, from_y, size, kind);
}
NVMLKIT_RUNTIME Error cudaMemcpy2DArrayToArray_ptds(CUarray to, Size to_x, Size to_y, CUarray from, Size from_x,
                                                    Size from_y, Size width, Size height, int kind) {
  return cudaMemcpy2DArrayToArray(to, to_x, to_y, from, from_x, from_y, width, height, kind);
}

}  // namespace nvmlkit::cudart
