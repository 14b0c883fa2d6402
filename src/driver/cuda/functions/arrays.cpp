// Arrays, textures, surfaces.
#include <cstring>

#include "driver/cuda/call.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/graphs/work.hpp"
#include "driver/cuda/schedule.hpp"
#include "driver/cuda/textures.hpp"

namespace nvmlkit::cuda::functions {
namespace {

static_assert(sizeof(Resource) == 144);  // as CUDA_RESOURCE_DESC

constexpr unsigned kLayered = 1, kSurface = 2, kGather = 8;  // CUDA_ARRAY3D_...

CUresult create(const Context& context, CUarray* out, const CUDA_ARRAY3D_DESCRIPTOR& shape) {
  if (textures::size_of(shape.Format) == 0 || shape.Width == 0) return CUDA_ERROR_INVALID_VALUE;
  if (shape.NumChannels != 1 && shape.NumChannels != 2 && shape.NumChannels != 4) return CUDA_ERROR_INVALID_VALUE;
  if ((shape.Flags & ~(kLayered | kSurface | kGather)) != 0) return CUDA_ERROR_NOT_SUPPORTED;
  auto made = std::make_shared<Array>();
  made->shape = shape;
  made->context = context.handle();
  constexpr std::size_t kMost = 131072;
  if (shape.Width > kMost || shape.Height > kMost || shape.Depth > kMost) return CUDA_ERROR_INVALID_VALUE;
  const auto size = made->row() * made->height() * made->depth();
  made->memory = memory::allocate(MemoryKind::device, context.device, context.handle(), size);
  if (!made->memory) return CUDA_ERROR_OUT_OF_MEMORY;
  *out = textures::add(std::move(made));
  return CUDA_SUCCESS;
}

Resource read(const CUDA_RESOURCE_DESC* description) {
  Resource out;
  std::memcpy(&out, description, sizeof out);
  return out;
}

// A row of bytes to or from arrays, which begin at an offset.
CopyWork row_of_arrays(const Context& context, CUarray to, std::size_t to_offset, CUarray from, std::size_t from_offset,
                       std::size_t size) {
  CopyWork out;
  out.context = context.handle();
  auto& c = out.copy;
  c.dstArray = to;
  c.dstXInBytes = to_offset;
  c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  c.srcArray = from;
  c.srcXInBytes = from_offset;
  c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  c.WidthInBytes = size;
  c.Height = c.Depth = 1;
  return out;
}

CopyWork to_array(const Context& context, CUarray to, std::size_t offset, const void* host, CUdeviceptr device,
                  std::size_t size) {
  auto out = row_of_arrays(context, to, offset, nullptr, 0, size);
  out.copy.srcMemoryType = host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
  out.copy.srcHost = host;
  out.copy.srcDevice = device;
  return out;
}

CopyWork from_array(const Context& context, CUarray from, std::size_t offset, void* host, CUdeviceptr device,
                    std::size_t size) {
  auto out = row_of_arrays(context, nullptr, 0, from, offset, size);
  out.copy.dstMemoryType = host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
  out.copy.dstHost = host;
  out.copy.dstDevice = device;
  return out;
}

}  // namespace

CUresult Array3DCreate_v2(Context& context, CUarray* pHandle, const CUDA_ARRAY3D_DESCRIPTOR* pAllocateArray) {
  return create(context, pHandle, *pAllocateArray);
}

CUresult ArrayCreate_v2(Context& context, CUarray* pHandle, const CUDA_ARRAY_DESCRIPTOR* pAllocateArray) {
  const auto& d = *pAllocateArray;
  return create(context, pHandle, {d.Width, d.Height, 0, d.Format, d.NumChannels, 0});
}

CUresult Array3DGetDescriptor_v2(Context&, CUDA_ARRAY3D_DESCRIPTOR* pArrayDescriptor, CUarray hArray) {
  const auto array = textures::find(hArray);
  if (!array) return CUDA_ERROR_INVALID_HANDLE;
  *pArrayDescriptor = array->shape;
  return CUDA_SUCCESS;
}

CUresult ArrayGetDescriptor_v2(Context&, CUDA_ARRAY_DESCRIPTOR* pArrayDescriptor, CUarray hArray) {
  const auto array = textures::find(hArray);
  if (!array) return CUDA_ERROR_INVALID_HANDLE;
  const auto& s = array->shape;
  *pArrayDescriptor = {s.Width, s.Height, s.Format, s.NumChannels};
  return CUDA_SUCCESS;
}

CUresult ArrayDestroy(Context&, CUarray hArray) {
  const auto array = textures::find(hArray);
  if (!array) return CUDA_ERROR_INVALID_HANDLE;
  if (const auto result = schedule::wait_for_users(*array->memory); result != CUDA_SUCCESS) return result;
  if (!textures::remove(hArray)) return CUDA_ERROR_INVALID_HANDLE;
  memory::remove(array->memory->address, MemoryKind::device, MemoryKind::device);
  return CUDA_SUCCESS;
}

CUresult MemcpyDtoA_v2(Context& context, CUarray dstArray, std::size_t dstOffset, CUdeviceptr srcDevice,
                       std::size_t ByteCount) {
  return copy_now(context, to_array(context, dstArray, dstOffset, nullptr, srcDevice, ByteCount));
}
CUresult MemcpyAtoD_v2(Context& context, CUdeviceptr dstDevice, CUarray srcArray, std::size_t srcOffset,
                       std::size_t ByteCount) {
  return copy_now(context, from_array(context, srcArray, srcOffset, nullptr, dstDevice, ByteCount));
}
CUresult MemcpyHtoA_v2(Context& context, CUarray dstArray, std::size_t dstOffset, const void* srcHost,
                       std::size_t ByteCount) {
  return copy_now(context, to_array(context, dstArray, dstOffset, srcHost, 0, ByteCount));
}
CUresult MemcpyAtoH_v2(Context& context, void* dstHost, CUarray srcArray, std::size_t srcOffset,
                       std::size_t ByteCount) {
  return copy_now(context, from_array(context, srcArray, srcOffset, dstHost, 0, ByteCount));
}
CUresult MemcpyAtoA_v2(Context& context, CUarray dstArray, std::size_t dstOffset, CUarray srcArray,
                       std::size_t srcOffset, std::size_t ByteCount) {
  return copy_now(context, row_of_arrays(context, dstArray, dstOffset, srcArray, srcOffset, ByteCount));
}
CUresult MemcpyHtoAAsync_v2(Context& context, CUarray dstArray, std::size_t dstOffset, const void* srcHost,
                            std::size_t ByteCount, CUstream hStream) {
  return enqueue(context, hStream, to_array(context, dstArray, dstOffset, srcHost, 0, ByteCount));
}
CUresult MemcpyAtoHAsync_v2(Context& context, void* dstHost, CUarray srcArray, std::size_t srcOffset,
                            std::size_t ByteCount, CUstream hStream) {
  return enqueue(context, hStream, from_array(context, srcArray, srcOffset, dstHost, 0, ByteCount));
}

CUresult TexObjectCreate(Context&, CUtexObject* pTexObject, const CUDA_RESOURCE_DESC* pResDesc,
                         const CUDA_TEXTURE_DESC* pTexDesc, const CUDA_RESOURCE_VIEW_DESC* pResViewDesc) {
  if (pResViewDesc) return CUDA_ERROR_NOT_SUPPORTED;
  return textures::make(read(pResDesc), *pTexDesc, false, *pTexObject);
}

CUresult TexObjectDestroy(Context&, CUtexObject texObject) {
  return textures::remove(texObject) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult TexObjectGetResourceDesc(Context&, CUDA_RESOURCE_DESC* pResDesc, CUtexObject texObject) {
  const auto texture = textures::find(texObject);
  if (!texture) return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(pResDesc, &texture->resource, sizeof texture->resource);
  return CUDA_SUCCESS;
}

CUresult TexObjectGetTextureDesc(Context&, CUDA_TEXTURE_DESC* pTexDesc, CUtexObject texObject) {
  const auto texture = textures::find(texObject);
  if (!texture) return CUDA_ERROR_INVALID_VALUE;
  *pTexDesc = texture->how;
  return CUDA_SUCCESS;
}

CUresult SurfObjectCreate(Context&, CUsurfObject* pSurfObject, const CUDA_RESOURCE_DESC* pResDesc) {
  return textures::make(read(pResDesc), {}, true, *pSurfObject);
}

CUresult SurfObjectDestroy(Context& context, CUsurfObject surfObject) { return TexObjectDestroy(context, surfObject); }

CUresult SurfObjectGetResourceDesc(Context& context, CUDA_RESOURCE_DESC* pResDesc, CUsurfObject surfObject) {
  return TexObjectGetResourceDesc(context, pResDesc, surfObject);
}

}  // namespace nvmlkit::cuda::functions
