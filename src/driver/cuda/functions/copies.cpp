// Copies, in the default stream or another one.
#include "driver/cuda/call.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/work/enqueue.hpp"

namespace nvmlkit::cuda::functions {
namespace {

CUdeviceptr address_of(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

CUresult copy_in_stream(Context& context, CUstream stream, CUdeviceptr to, CUmemorytype to_type, CUdeviceptr from,
                        CUmemorytype from_type, std::size_t size) {
  return enqueue(context, stream, row_copy(context, to, to_type, from, from_type, size));
}

// A rectangle as a box of one slice.
CUDA_MEMCPY3D as_box(const CUDA_MEMCPY2D& c) {
  CUDA_MEMCPY3D out{};
  out.srcXInBytes = c.srcXInBytes;
  out.srcY = c.srcY;
  out.srcMemoryType = c.srcMemoryType;
  out.srcHost = c.srcHost;
  out.srcDevice = c.srcDevice;
  out.srcArray = c.srcArray;
  out.srcPitch = c.srcPitch;
  out.dstXInBytes = c.dstXInBytes;
  out.dstY = c.dstY;
  out.dstMemoryType = c.dstMemoryType;
  out.dstHost = c.dstHost;
  out.dstDevice = c.dstDevice;
  out.dstArray = c.dstArray;
  out.dstPitch = c.dstPitch;
  out.WidthInBytes = c.WidthInBytes;
  out.Height = c.Height;
  out.Depth = 1;
  return out;
}

// The same without the contexts: an address determines its GPU.
CUDA_MEMCPY3D as_box(const CUDA_MEMCPY3D_PEER& c) {
  CUDA_MEMCPY3D out{};
  out.srcXInBytes = c.srcXInBytes;
  out.srcY = c.srcY;
  out.srcZ = c.srcZ;
  out.srcMemoryType = c.srcMemoryType;
  out.srcHost = c.srcHost;
  out.srcDevice = c.srcDevice;
  out.srcArray = c.srcArray;
  out.srcPitch = c.srcPitch;
  out.srcHeight = c.srcHeight;
  out.dstXInBytes = c.dstXInBytes;
  out.dstY = c.dstY;
  out.dstZ = c.dstZ;
  out.dstMemoryType = c.dstMemoryType;
  out.dstHost = c.dstHost;
  out.dstDevice = c.dstDevice;
  out.dstArray = c.dstArray;
  out.dstPitch = c.dstPitch;
  out.dstHeight = c.dstHeight;
  out.WidthInBytes = c.WidthInBytes;
  out.Height = c.Height;
  out.Depth = c.Depth;
  return out;
}

}  // namespace

CUresult Memcpy(Context& context, CUdeviceptr dst, CUdeviceptr src, std::size_t ByteCount) {
  return copy_now(context, row_copy(context, dst, CU_MEMORYTYPE_UNIFIED, src, CU_MEMORYTYPE_UNIFIED, ByteCount));
}

CUresult MemcpyHtoD_v2(Context& context, CUdeviceptr dstDevice, const void* srcHost, std::size_t ByteCount) {
  return copy_now(
      context, row_copy(context, dstDevice, CU_MEMORYTYPE_DEVICE, address_of(srcHost), CU_MEMORYTYPE_HOST, ByteCount));
}

CUresult MemcpyDtoH_v2(Context& context, void* dstHost, CUdeviceptr srcDevice, std::size_t ByteCount) {
  return copy_now(
      context, row_copy(context, address_of(dstHost), CU_MEMORYTYPE_HOST, srcDevice, CU_MEMORYTYPE_DEVICE, ByteCount));
}

CUresult MemcpyDtoD_v2(Context& context, CUdeviceptr dstDevice, CUdeviceptr srcDevice, std::size_t ByteCount) {
  return copy_now(context,
                  row_copy(context, dstDevice, CU_MEMORYTYPE_DEVICE, srcDevice, CU_MEMORYTYPE_DEVICE, ByteCount));
}

CUresult MemcpyPeer(Context& context, CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                    CUcontext srcContext, std::size_t ByteCount) {
  if (!contexts::find(dstContext) || !contexts::find(srcContext)) return CUDA_ERROR_INVALID_CONTEXT;
  return MemcpyDtoD_v2(context, dstDevice, srcDevice, ByteCount);
}

CUresult Memcpy2D_v2(Context& context, const CUDA_MEMCPY2D* pCopy) {
  return copy_now(context, {as_box(*pCopy), context.handle()});
}
CUresult Memcpy2DUnaligned_v2(Context& context, const CUDA_MEMCPY2D* pCopy) {
  return copy_now(context, {as_box(*pCopy), context.handle()});
}
CUresult Memcpy3D_v2(Context& context, const CUDA_MEMCPY3D* pCopy) {
  return copy_now(context, {*pCopy, context.handle()});
}

CUresult Memcpy3DPeer(Context& context, const CUDA_MEMCPY3D_PEER* pCopy) {
  if (!contexts::find(pCopy->srcContext) || !contexts::find(pCopy->dstContext)) return CUDA_ERROR_INVALID_CONTEXT;
  return copy_now(context, {as_box(*pCopy), context.handle()});
}

CUresult MemcpyAsync(Context& context, CUdeviceptr dst, CUdeviceptr src, std::size_t ByteCount, CUstream hStream) {
  return copy_in_stream(context, hStream, dst, CU_MEMORYTYPE_UNIFIED, src, CU_MEMORYTYPE_UNIFIED, ByteCount);
}

CUresult MemcpyHtoDAsync_v2(Context& context, CUdeviceptr dstDevice, const void* srcHost, std::size_t ByteCount,
                            CUstream hStream) {
  return copy_in_stream(context, hStream, dstDevice, CU_MEMORYTYPE_DEVICE, address_of(srcHost), CU_MEMORYTYPE_HOST,
                        ByteCount);
}

CUresult MemcpyDtoHAsync_v2(Context& context, void* dstHost, CUdeviceptr srcDevice, std::size_t ByteCount,
                            CUstream hStream) {
  return copy_in_stream(context, hStream, address_of(dstHost), CU_MEMORYTYPE_HOST, srcDevice, CU_MEMORYTYPE_DEVICE,
                        ByteCount);
}

CUresult MemcpyDtoDAsync_v2(Context& context, CUdeviceptr dstDevice, CUdeviceptr srcDevice, std::size_t ByteCount,
                            CUstream hStream) {
  return copy_in_stream(context, hStream, dstDevice, CU_MEMORYTYPE_DEVICE, srcDevice, CU_MEMORYTYPE_DEVICE, ByteCount);
}

CUresult MemcpyPeerAsync(Context& context, CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                         CUcontext srcContext, std::size_t ByteCount, CUstream hStream) {
  if (!contexts::find(dstContext) || !contexts::find(srcContext)) return CUDA_ERROR_INVALID_CONTEXT;
  return MemcpyDtoDAsync_v2(context, dstDevice, srcDevice, ByteCount, hStream);
}

CUresult Memcpy2DAsync_v2(Context& context, const CUDA_MEMCPY2D* pCopy, CUstream hStream) {
  return enqueue(context, hStream, CopyWork{as_box(*pCopy), context.handle()});
}

CUresult Memcpy3DAsync_v2(Context& context, const CUDA_MEMCPY3D* pCopy, CUstream hStream) {
  return enqueue(context, hStream, CopyWork{*pCopy, context.handle()});
}

CUresult Memcpy3DPeerAsync(Context& context, const CUDA_MEMCPY3D_PEER* pCopy, CUstream hStream) {
  if (!contexts::find(pCopy->srcContext) || !contexts::find(pCopy->dstContext)) return CUDA_ERROR_INVALID_CONTEXT;
  return enqueue(context, hStream, CopyWork{as_box(*pCopy), context.handle()});
}

}  // namespace nvmlkit::cuda::functions
