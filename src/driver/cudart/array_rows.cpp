// Copies of arrays as before there were rectangles: so many bytes from a place on, in whole rows or within one.
#include "driver/cudart/runtime.hpp"

namespace nvmlkit::cudart {

using Size = std::size_t;

namespace {

// Bytes of a row of an array; 0 for what is none.
Size row_of(CUarray array) {
  CUDA_ARRAY3D_DESCRIPTOR d{};
  if (ready() != CUDA_SUCCESS || cuArray3DGetDescriptor_v2(&d, array) != CUDA_SUCCESS) return 0;
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

NVMLKIT_RUNTIME Error cudaMemcpyToArrayAsync(CUarray array, Size x, Size y, const void* from, Size size, int kind,
                                             CUstream stream) {
  const auto r = rectangle(row_of(array), x, size);
  return r ? cudaMemcpy2DToArrayAsync(array, x, y, from, r.width, r.width, r.height, kind, stream)
           : keep(kInvalidValue);
}
NVMLKIT_RUNTIME Error cudaMemcpyFromArrayAsync(void* to, CUarray array, Size x, Size y, Size size, int kind,
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

}  // namespace nvmlkit::cudart
