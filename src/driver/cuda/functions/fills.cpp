// Fills, in the default stream or another one.
#include "driver/cuda/memory/fills.hpp"

#include "driver/cuda/call.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/streams/schedule.hpp"
#include "driver/cuda/work/enqueue.hpp"

namespace nvmlkit::cuda::functions {
namespace {

CUresult fill_in_stream(Context& context, CUstream stream, const CUDA_MEMSET_NODE_PARAMS& fill, bool in_call = false) {
  return enqueue(context, stream, FillWork{fill, context.handle()}, in_call);
}

// Asynchronous too, as documented, unless the host can look at the memory.
CUresult fill_by_default(Context& context, const CUDA_MEMSET_NODE_PARAMS& params) {
  Fill fill;
  if (const auto result = fill.find(params); result != CUDA_SUCCESS) return result;
  const auto handle = OfThread::default_stream();
  if (const auto result = fill_in_stream(context, handle, params, true); result != CUDA_SUCCESS) return result;
  return fill.is_synchronous() ? StreamSynchronize(context, handle) : CUDA_SUCCESS;
}

}  // namespace

CUresult MemsetD8_v2(Context& context, CUdeviceptr dstDevice, unsigned char uc, std::size_t N) {
  return fill_by_default(context, {dstDevice, 0, uc, 1, N, 1});
}
CUresult MemsetD16_v2(Context& context, CUdeviceptr dstDevice, unsigned short us, std::size_t N) {
  return fill_by_default(context, {dstDevice, 0, us, 2, N, 1});
}
CUresult MemsetD32_v2(Context& context, CUdeviceptr dstDevice, unsigned int ui, std::size_t N) {
  return fill_by_default(context, {dstDevice, 0, ui, 4, N, 1});
}
CUresult MemsetD2D8_v2(Context& context, CUdeviceptr dstDevice, std::size_t dstPitch, unsigned char uc,
                       std::size_t Width, std::size_t Height) {
  return fill_by_default(context, {dstDevice, dstPitch, uc, 1, Width, Height});
}
CUresult MemsetD2D16_v2(Context& context, CUdeviceptr dstDevice, std::size_t dstPitch, unsigned short us,
                        std::size_t Width, std::size_t Height) {
  return fill_by_default(context, {dstDevice, dstPitch, us, 2, Width, Height});
}
CUresult MemsetD2D32_v2(Context& context, CUdeviceptr dstDevice, std::size_t dstPitch, unsigned int ui,
                        std::size_t Width, std::size_t Height) {
  return fill_by_default(context, {dstDevice, dstPitch, ui, 4, Width, Height});
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
