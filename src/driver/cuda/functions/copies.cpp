// Copies. They are done when the call returns, in a stream too, unless it is captured.
#include <cstring>

#include "driver/cuda/call.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/graphs/work.hpp"
#include "driver/cuda/memory.hpp"
#include "driver/cuda/textures.hpp"

namespace nvmlkit::cuda::functions {
namespace {

CUdeviceptr address_of(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

CUresult copy(const Span& to, const Span& from, std::size_t size) {
  if (!to || !from) return CUDA_ERROR_INVALID_VALUE;
  std::memmove(to.bytes, from.bytes, size);
  return CUDA_SUCCESS;
}

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

// The same without the contexts: an address tells where it is.
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

// One side of a box of bytes: where it begins, from row to row and from slice to slice.
struct Side {
  CUmemorytype type;
  const void* host;
  CUdeviceptr device;
  std::size_t x, y, z, pitch, height;
  CUarray array;
};

struct Box {
  std::size_t width, height, depth;
};

struct Placed {
  Span span;  // of all its bytes
  std::size_t row = 0, slice = 0;
};

CUresult place_in_array(const Side& side, const Box& box, Placed& out) {
  const auto array = textures::find(side.array);
  if (!array) return CUDA_ERROR_INVALID_HANDLE;
  const auto fits = [](std::size_t at, std::size_t size, std::size_t room) { return at <= room && size <= room - at; };
  if (!fits(side.x, box.width, array->row()) || !fits(side.y, box.height, array->height()) ||
      !fits(side.z, box.depth, array->depth()))
    return CUDA_ERROR_INVALID_VALUE;
  out.row = array->row();
  out.slice = out.row * array->height();
  out.span = {array->memory->bytes + side.z * out.slice + side.y * out.row + side.x, array->memory};
  return CUDA_SUCCESS;
}

// Where the bytes of a side are; a result other than success says why nowhere.
CUresult place(const Side& side, const Box& box, Placed& out) {
  if (side.type == CU_MEMORYTYPE_ARRAY) return place_in_array(side, box, out);
  if (side.type != CU_MEMORYTYPE_HOST && side.type != CU_MEMORYTYPE_DEVICE && side.type != CU_MEMORYTYPE_UNIFIED)
    return CUDA_ERROR_INVALID_VALUE;
  __extension__ using Wide = unsigned __int128;
  const Wide row = side.pitch ? Wide{side.pitch} : Wide{side.x} + box.width;
  const Wide slice = row * (side.height ? Wide{side.height} : Wide{side.y} + box.height);
  if (Wide{side.x} + box.width > row) return CUDA_ERROR_INVALID_VALUE;
  if (box.depth > 1 && Wide{side.y} + box.height > slice / row) return CUDA_ERROR_INVALID_VALUE;
  constexpr Wide kLimit = Wide{1} << 48;  // of addresses; what is checked one by one cannot wrap together
  if (row > kLimit || slice > kLimit || side.y > kLimit || side.z > kLimit) return CUDA_ERROR_INVALID_VALUE;
  const Wide begin = side.z * slice + side.y * row + side.x;
  const Wide size = (box.depth - 1) * slice + (box.height - 1) * row + box.width;
  if (begin > kLimit || size > kLimit) return CUDA_ERROR_INVALID_VALUE;
  const auto start =
      (side.type == CU_MEMORYTYPE_HOST ? address_of(side.host) : side.device) + static_cast<CUdeviceptr>(begin);
  const auto length = static_cast<std::uint64_t>(size);
  out.span = side.type == CU_MEMORYTYPE_DEVICE ? memory::known(start, length) : memory::any(start, length);
  out.row = static_cast<std::size_t>(row);
  out.slice = static_cast<std::size_t>(slice);
  return out.span ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult copy(const Side& to, const Side& from, const Box& box) {
  if (box.width == 0 || box.height == 0 || box.depth == 0) return CUDA_SUCCESS;
  Placed target, source;
  if (const auto result = place(to, box, target); result != CUDA_SUCCESS) return result;
  if (const auto result = place(from, box, source); result != CUDA_SUCCESS) return result;
  for (std::size_t z = 0; z < box.depth; ++z)
    for (std::size_t y = 0; y < box.height; ++y)
      std::memmove(target.span.bytes + z * target.slice + y * target.row,
                   source.span.bytes + z * source.slice + y * source.row, box.width);
  return CUDA_SUCCESS;
}

CUresult copy_box(const CUDA_MEMCPY3D& c) {
  return copy(
      Side{c.dstMemoryType, c.dstHost, c.dstDevice, c.dstXInBytes, c.dstY, c.dstZ, c.dstPitch, c.dstHeight, c.dstArray},
      Side{c.srcMemoryType, c.srcHost, c.srcDevice, c.srcXInBytes, c.srcY, c.srcZ, c.srcPitch, c.srcHeight, c.srcArray},
      Box{c.WidthInBytes, c.Height, c.Depth});
}

}  // namespace

CUresult Memcpy(Context&, CUdeviceptr dst, CUdeviceptr src, std::size_t ByteCount) {
  if (ByteCount == 0) return CUDA_SUCCESS;
  return copy(memory::any(dst, ByteCount), memory::any(src, ByteCount), ByteCount);
}

CUresult MemcpyHtoD_v2(Context&, CUdeviceptr dstDevice, const void* srcHost, std::size_t ByteCount) {
  if (ByteCount == 0) return CUDA_SUCCESS;
  return copy(memory::known(dstDevice, ByteCount), memory::any(address_of(srcHost), ByteCount), ByteCount);
}

CUresult MemcpyDtoH_v2(Context&, void* dstHost, CUdeviceptr srcDevice, std::size_t ByteCount) {
  if (ByteCount == 0) return CUDA_SUCCESS;
  return copy(memory::any(address_of(dstHost), ByteCount), memory::known(srcDevice, ByteCount), ByteCount);
}

CUresult MemcpyDtoD_v2(Context&, CUdeviceptr dstDevice, CUdeviceptr srcDevice, std::size_t ByteCount) {
  if (ByteCount == 0) return CUDA_SUCCESS;
  return copy(memory::known(dstDevice, ByteCount), memory::known(srcDevice, ByteCount), ByteCount);
}

CUresult MemcpyPeer(Context& context, CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                    CUcontext srcContext, std::size_t ByteCount) {
  if (!contexts::find(dstContext) || !contexts::find(srcContext)) return CUDA_ERROR_INVALID_CONTEXT;
  return MemcpyDtoD_v2(context, dstDevice, srcDevice, ByteCount);
}

CUresult Memcpy2D_v2(Context&, const CUDA_MEMCPY2D* pCopy) { return copy_box(as_box(*pCopy)); }
CUresult Memcpy2DUnaligned_v2(Context&, const CUDA_MEMCPY2D* pCopy) { return copy_box(as_box(*pCopy)); }
CUresult Memcpy3D_v2(Context&, const CUDA_MEMCPY3D* pCopy) { return copy_box(*pCopy); }

CUresult Memcpy3DPeer(Context&, const CUDA_MEMCPY3D_PEER* pCopy) {
  if (!contexts::find(pCopy->srcContext) || !contexts::find(pCopy->dstContext)) return CUDA_ERROR_INVALID_CONTEXT;
  return copy_box(as_box(*pCopy));
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
