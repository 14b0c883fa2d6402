// Arrays, textures, surfaces.
#include <cstring>

#include "driver/cuda/call.hpp"
#include "driver/cuda/device/attributes.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/streams/schedule.hpp"
#include "driver/cuda/textures/textures.hpp"
#include "driver/cuda/work/enqueue.hpp"

namespace nvmlkit::cuda::functions {
namespace {

static_assert(sizeof(Resource) == 144);  // as CUDA_RESOURCE_DESC

Resource resource_of(const CUDA_RESOURCE_DESC* description) {
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
  return textures::create(context.device, context.handle(), *pAllocateArray, *pHandle);
}

CUresult ArrayCreate_v2(Context& context, CUarray* pHandle, const CUDA_ARRAY_DESCRIPTOR* pAllocateArray) {
  const auto& d = *pAllocateArray;
  return textures::create(context.device, context.handle(), {d.Width, d.Height, 0, d.Format, d.NumChannels, 0},
                          *pHandle);
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
  if (!array || array->is_level) return CUDA_ERROR_INVALID_HANDLE;
  if (const auto result = schedule::wait_for_users(*array->memory); result != CUDA_SUCCESS) return result;
  return textures::destroy(hArray) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

// Neither sparse arrays nor such whose memory comes later can be made, nor pictures of several planes.
CUresult ArrayGetSparseProperties(Context&, CUDA_ARRAY_SPARSE_PROPERTIES*, CUarray array) {
  return textures::find(array) ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
}
CUresult ArrayGetMemoryRequirements(Context&, CUDA_ARRAY_MEMORY_REQUIREMENTS*, CUarray array, CUdevice device) {
  if (!find_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  return textures::find(array) ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
}
CUresult ArrayGetPlane(Context&, CUarray*, CUarray hArray, unsigned int) {
  return textures::find(hArray) ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
}

CUresult MipmappedArrayCreate(Context& context, CUmipmappedArray* pHandle,
                              const CUDA_ARRAY3D_DESCRIPTOR* pMipmappedArrayDesc, unsigned int numMipmapLevels) {
  return textures::create(context.device, context.handle(), *pMipmappedArrayDesc, numMipmapLevels, *pHandle);
}

CUresult MipmappedArrayGetLevel(Context&, CUarray* pLevelArray, CUmipmappedArray hMipmappedArray, unsigned int level) {
  const auto mipmap = textures::find(hMipmappedArray);
  if (!mipmap) return CUDA_ERROR_INVALID_HANDLE;
  if (level >= mipmap->levels.size()) return CUDA_ERROR_INVALID_VALUE;
  *pLevelArray = mipmap->levels[level];
  return CUDA_SUCCESS;
}

CUresult MipmappedArrayDestroy(Context&, CUmipmappedArray hMipmappedArray) {
  const auto mipmap = textures::find(hMipmappedArray);
  if (!mipmap) return CUDA_ERROR_INVALID_HANDLE;
  for (const auto level : mipmap->levels)
    if (const auto array = textures::find(level))
      if (const auto result = schedule::wait_for_users(*array->memory); result != CUDA_SUCCESS) return result;
  if (!textures::remove(hMipmappedArray)) return CUDA_ERROR_INVALID_HANDLE;
  for (const auto level : mipmap->levels) textures::destroy(level);
  return CUDA_SUCCESS;
}

CUresult MipmappedArrayGetSparseProperties(Context&, CUDA_ARRAY_SPARSE_PROPERTIES*, CUmipmappedArray mipmap) {
  return textures::find(mipmap) ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
}
CUresult MipmappedArrayGetMemoryRequirements(Context&, CUDA_ARRAY_MEMORY_REQUIREMENTS*, CUmipmappedArray mipmap,
                                             CUdevice device) {
  if (!find_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  return textures::find(mipmap) ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
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
  return textures::make(resource_of(pResDesc), *pTexDesc, pResViewDesc, false, *pTexObject);
}

CUresult TexObjectDestroy(Context& context, CUtexObject texObject) {
  if (!textures::find(texObject)) return CUDA_SUCCESS;  // as real drivers answer
  // Kernels that were launched with it may not have run yet.
  if (const auto result = schedule::wait_for_all(context); result != CUDA_SUCCESS) return result;
  textures::remove(texObject);
  return CUDA_SUCCESS;
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

CUresult TexObjectGetResourceViewDesc(Context&, CUDA_RESOURCE_VIEW_DESC* pResViewDesc, CUtexObject texObject) {
  const auto texture = textures::find(texObject);
  if (!texture || !texture->is_viewed) return CUDA_ERROR_INVALID_VALUE;
  *pResViewDesc = texture->view;
  return CUDA_SUCCESS;
}

// So many texels of one row.
CUresult DeviceGetTexture1DLinearMaxWidth(std::size_t* maxWidthInElements, CUarray_format format,
                                          unsigned int numChannels, CUdevice dev) {
  const auto* const device = find_device(dev);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  if (textures::size_of(format) == 0 || (numChannels != 1 && numChannels != 2 && numChannels != 4))
    return CUDA_ERROR_INVALID_VALUE;
  *maxWidthInElements =
      static_cast<std::size_t>(attribute_of(*device, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH));
  return CUDA_SUCCESS;
}

CUresult SurfObjectCreate(Context&, CUsurfObject* pSurfObject, const CUDA_RESOURCE_DESC* pResDesc) {
  return textures::make(resource_of(pResDesc), {}, nullptr, true, *pSurfObject);
}

// NVIDIA's samples end surfaces that were never made: 0 is none, and no error.
CUresult SurfObjectDestroy(Context& context, CUsurfObject surfObject) {
  return surfObject == 0 ? CUDA_SUCCESS : TexObjectDestroy(context, surfObject);
}

CUresult SurfObjectGetResourceDesc(Context& context, CUDA_RESOURCE_DESC* pResDesc, CUsurfObject surfObject) {
  return TexObjectGetResourceDesc(context, pResDesc, surfObject);
}

}  // namespace nvmlkit::cuda::functions
