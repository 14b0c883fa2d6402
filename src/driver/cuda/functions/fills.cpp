// Fills. They are done when the call returns, in a stream too.
#include <cstdint>
#include <cstring>

#include "driver/cuda/call.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/graphs/work.hpp"
#include "driver/cuda/memory.hpp"

namespace nvmlkit::cuda::functions {
namespace {

template <class T>
void fill_row(std::byte* at, T value, std::size_t count) {
  if constexpr (sizeof(T) == 1) {
    std::memset(at, value, count);
  } else {
    for (std::size_t i = 0; i < count; ++i) std::memcpy(at + i * sizeof value, &value, sizeof value);
  }
}

template <class T>
CUresult fill(CUdeviceptr address, std::size_t pitch, T value, std::size_t width, std::size_t height) {
  if (address % sizeof value != 0 || pitch % sizeof value != 0) return CUDA_ERROR_INVALID_VALUE;
  if (width == 0 || height == 0) return CUDA_SUCCESS;
  std::size_t row = 0, size = 0;
  if (__builtin_mul_overflow(width, sizeof value, &row) || (height > 1 && pitch < row) ||
      __builtin_mul_overflow(pitch, height - 1, &size) || __builtin_add_overflow(size, row, &size))
    return CUDA_ERROR_INVALID_VALUE;
  const auto span = memory::known(address, size);
  if (!span) return CUDA_ERROR_INVALID_VALUE;
  for (std::size_t y = 0; y < height; ++y) fill_row(span.bytes + y * pitch, value, width);
  return CUDA_SUCCESS;
}

CUresult fill_in_stream(Context& context, CUstream stream, const CUDA_MEMSET_NODE_PARAMS& fill) {
  return enqueue(context, stream, FillWork{fill, context.handle()});
}

}  // namespace

CUresult MemsetD8_v2(Context&, CUdeviceptr dstDevice, unsigned char uc, std::size_t N) {
  return fill(dstDevice, 0, uc, N, 1);
}
CUresult MemsetD16_v2(Context&, CUdeviceptr dstDevice, unsigned short us, std::size_t N) {
  return fill(dstDevice, 0, us, N, 1);
}
CUresult MemsetD32_v2(Context&, CUdeviceptr dstDevice, unsigned int ui, std::size_t N) {
  return fill(dstDevice, 0, ui, N, 1);
}
CUresult MemsetD2D8_v2(Context&, CUdeviceptr dstDevice, std::size_t dstPitch, unsigned char uc, std::size_t Width,
                       std::size_t Height) {
  return fill(dstDevice, dstPitch, uc, Width, Height);
}
CUresult MemsetD2D16_v2(Context&, CUdeviceptr dstDevice, std::size_t dstPitch, unsigned short us, std::size_t Width,
                        std::size_t Height) {
  return fill(dstDevice, dstPitch, us, Width, Height);
}
CUresult MemsetD2D32_v2(Context&, CUdeviceptr dstDevice, std::size_t dstPitch, unsigned int ui, std::size_t Width,
                        std::size_t Height) {
  return fill(dstDevice, dstPitch, ui, Width, Height);
}

CUresult MemsetD8Async(Context& context, CUdeviceptr dstDevice, unsigned char uc, std::size_t N, CUstream hStream) {
  return fill_in_stream(context, hStream, {dstDevice, 0, uc, 1, N, 1});
}
CUresult MemsetD16Async(Context& context, CUdeviceptr dstDevice, unsigned short us, std::size_t N, CUstream hStream) {
  return fill_in_stream(context, hStream, {dstDevice, 0, us, 2, N, 1});
}
CUresult MemsetD32Async(Context& context, CUdeviceptr dstDevice, unsigned int ui, std::size_t N, CUstream hStream) {
  return fill_in_stream(context, hStream, {dstDevice, 0, ui, 4, N, 1});
}
CUresult MemsetD2D8Async(Context& context, CUdeviceptr dstDevice, std::size_t dstPitch, unsigned char uc,
                         std::size_t Width, std::size_t Height, CUstream hStream) {
  return fill_in_stream(context, hStream, {dstDevice, dstPitch, uc, 1, Width, Height});
}
CUresult MemsetD2D16Async(Context& context, CUdeviceptr dstDevice, std::size_t dstPitch, unsigned short us,
                          std::size_t Width, std::size_t Height, CUstream hStream) {
  return fill_in_stream(context, hStream, {dstDevice, dstPitch, us, 2, Width, Height});
}
CUresult MemsetD2D32Async(Context& context, CUdeviceptr dstDevice, std::size_t dstPitch, unsigned int ui,
                          std::size_t Width, std::size_t Height, CUstream hStream) {
  return fill_in_stream(context, hStream, {dstDevice, dstPitch, ui, 4, Width, Height});
}

}  // namespace nvmlkit::cuda::functions
