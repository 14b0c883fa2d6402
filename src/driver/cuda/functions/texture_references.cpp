// Texture and surface references, of CUDA 11 and before: their lookup in modules, and their bindings.
#include "driver/cuda/textures/texture_references.hpp"

#include <algorithm>

#include "driver/cuda/call.hpp"
#include "driver/cuda/device/attributes.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/streams/schedule.hpp"

namespace nvmlkit::cuda::functions {
namespace {

constexpr unsigned kOverrideFormat = 1;  // CU_TRSA_OVERRIDE_FORMAT
constexpr unsigned kKnownFlags = 0x37;   // CU_TRSF_...

// work(reference), and the texture made anew. Kernels that were launched before read what they were launched with.
template <class Handle, class Work>
CUresult change(Context& context, Handle handle, Work work) {
  if (const auto result = schedule::wait_for_all(context); result != CUDA_SUCCESS) return result;
  return texture_references::with(handle, [&](TextureReference& t) {
    work(t);
    return t.renew();
  });
}

template <class Handle, class Work>
CUresult rebind(Context& context, Handle handle, Work work) {
  if (const auto result = schedule::wait_for_all(context); result != CUDA_SUCCESS) return result;
  return texture_references::with(handle, work);
}

CUresult bind(TextureReference& t, CUresourcetype type) {
  t.resource.type = type;
  t.is_bound = true;
  return t.renew();
}

}  // namespace

CUresult ModuleGetTexRef(Context&, CUtexref* pTexRef, CUmodule hmod, const char* name) {
  const auto module = modules::find(hmod);
  if (!module) return CUDA_ERROR_INVALID_HANDLE;
  *pTexRef = reinterpret_cast<CUtexref>(texture_references::of_module(*module, hmod, name, false));
  return *pTexRef ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult ModuleGetSurfRef(Context&, CUsurfref* pSurfRef, CUmodule hmod, const char* name) {
  const auto module = modules::find(hmod);
  if (!module) return CUDA_ERROR_INVALID_HANDLE;
  *pSurfRef = reinterpret_cast<CUsurfref>(texture_references::of_module(*module, hmod, name, true));
  return *pSurfRef ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

// What a module binds its kernels to needs no more.
CUresult ParamSetTexRef(Context&, CUfunction, int texunit, CUtexref hTexRef) {
  constexpr int kDefault = -1;
  if (texunit != kDefault) return CUDA_ERROR_INVALID_VALUE;
  return texture_references::with(hTexRef, [](TextureReference&) { return CUDA_SUCCESS; });
}

CUresult TexRefCreate(Context& context, CUtexref* pTexRef) {
  *pTexRef = reinterpret_cast<CUtexref>(texture_references::make(context.handle()));
  return CUDA_SUCCESS;
}

CUresult TexRefDestroy(Context&, CUtexref hTexRef) {
  return texture_references::destroy(texture_references::tag(hTexRef)) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult TexRefSetArray(Context& context, CUtexref hTexRef, CUarray hArray, unsigned int Flags) {
  if (Flags != kOverrideFormat) return CUDA_ERROR_INVALID_VALUE;
  const auto array = textures::find(hArray);
  if (!array) return CUDA_ERROR_INVALID_HANDLE;
  return rebind(context, hTexRef, [&](TextureReference& t) {
    t.resource = {};
    t.resource.array = hArray;
    t.format = array->shape.Format;
    t.channels = array->shape.NumChannels;
    return bind(t, CU_RESOURCE_TYPE_ARRAY);
  });
}

CUresult TexRefSetMipmappedArray(Context& context, CUtexref hTexRef, CUmipmappedArray hMipmappedArray,
                                 unsigned int Flags) {
  if (Flags != kOverrideFormat) return CUDA_ERROR_INVALID_VALUE;
  const auto mipmap = textures::find(hMipmappedArray);
  if (!mipmap) return CUDA_ERROR_INVALID_HANDLE;
  return rebind(context, hTexRef, [&](TextureReference& t) {
    t.resource = {};
    t.resource.mipmap = hMipmappedArray;
    t.format = mipmap->shape.Format;
    t.channels = mipmap->shape.NumChannels;
    return bind(t, CU_RESOURCE_TYPE_MIPMAPPED_ARRAY);
  });
}

// A texture begins at a multiple of an alignment; the program adds the rest to what its kernels ask for.
CUresult TexRefSetAddress_v2(Context& context, std::size_t* ByteOffset, CUtexref hTexRef, CUdeviceptr dptr,
                             std::size_t bytes) {
  const auto alignment = static_cast<CUdeviceptr>(attribute_of(context.device, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT));
  const auto offset = bytes == 0 ? 0 : dptr % alignment;
  if (offset != 0 && !ByteOffset) return CUDA_ERROR_INVALID_VALUE;
  const auto result = rebind(context, hTexRef, [&](TextureReference& t) {
    t.resource = {};
    t.is_bound = false;
    if (bytes == 0) return t.renew();
    t.resource.linear.address = dptr - offset;
    t.resource.linear.format = t.format;
    t.resource.linear.channels = t.channels;
    t.resource.linear.size = bytes + offset;
    return bind(t, CU_RESOURCE_TYPE_LINEAR);
  });
  if (result == CUDA_SUCCESS && ByteOffset) *ByteOffset = offset;
  return result;
}

CUresult TexRefSetAddress2D_v3(Context& context, CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR* desc, CUdeviceptr dptr,
                               std::size_t Pitch) {
  const auto of = [&](CUdevice_attribute which) {
    return static_cast<std::uint64_t>(attribute_of(context.device, which));
  };
  if (Pitch % of(CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT) != 0) return CUDA_ERROR_INVALID_VALUE;
  return rebind(context, hTexRef, [&](TextureReference& t) {
    t.format = desc->Format;
    t.channels = desc->NumChannels;
    t.resource = {};
    auto& pitched = t.resource.pitched;
    pitched.address = dptr;
    pitched.format = desc->Format;
    pitched.channels = desc->NumChannels;
    pitched.width = desc->Width;
    pitched.height = desc->Height;
    pitched.pitch = Pitch;
    return bind(t, CU_RESOURCE_TYPE_PITCH2D);
  });
}
CUresult TexRefSetAddress2D_v2(Context& context, CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR* desc, CUdeviceptr dptr,
                               std::size_t Pitch) {
  return TexRefSetAddress2D_v3(context, hTexRef, desc, dptr, Pitch);
}

CUresult TexRefSetFormat(Context&, CUtexref hTexRef, CUarray_format fmt, int NumPackedComponents) {
  if (textures::size_of(fmt) == 0) return CUDA_ERROR_INVALID_VALUE;
  if (NumPackedComponents != 1 && NumPackedComponents != 2 && NumPackedComponents != 4) return CUDA_ERROR_INVALID_VALUE;
  return texture_references::with(hTexRef, [&](TextureReference& t) {
    t.format = fmt;
    t.channels = static_cast<unsigned>(NumPackedComponents);
    return CUDA_SUCCESS;
  });
}

CUresult TexRefSetAddressMode(Context& context, CUtexref hTexRef, int dim, CUaddress_mode am) {
  if (dim < 0 || dim > 2 || am > CU_TR_ADDRESS_MODE_BORDER) return CUDA_ERROR_INVALID_VALUE;
  return change(context, hTexRef, [&](TextureReference& t) { t.how.addressMode[dim] = am; });
}
CUresult TexRefSetFilterMode(Context& context, CUtexref hTexRef, CUfilter_mode fm) {
  if (fm > CU_TR_FILTER_MODE_LINEAR) return CUDA_ERROR_INVALID_VALUE;
  return change(context, hTexRef, [&](TextureReference& t) { t.how.filterMode = fm; });
}
CUresult TexRefSetMipmapFilterMode(Context& context, CUtexref hTexRef, CUfilter_mode fm) {
  if (fm > CU_TR_FILTER_MODE_LINEAR) return CUDA_ERROR_INVALID_VALUE;
  return change(context, hTexRef, [&](TextureReference& t) { t.how.mipmapFilterMode = fm; });
}
CUresult TexRefSetMipmapLevelBias(Context& context, CUtexref hTexRef, float bias) {
  return change(context, hTexRef, [&](TextureReference& t) { t.how.mipmapLevelBias = bias; });
}
CUresult TexRefSetMipmapLevelClamp(Context& context, CUtexref hTexRef, float minMipmapLevelClamp,
                                   float maxMipmapLevelClamp) {
  return change(context, hTexRef, [&](TextureReference& t) {
    t.how.minMipmapLevelClamp = minMipmapLevelClamp;
    t.how.maxMipmapLevelClamp = maxMipmapLevelClamp;
  });
}
CUresult TexRefSetMaxAnisotropy(Context& context, CUtexref hTexRef, unsigned int maxAniso) {
  return change(context, hTexRef, [&](TextureReference& t) { t.how.maxAnisotropy = maxAniso; });
}
CUresult TexRefSetBorderColor(Context& context, CUtexref hTexRef, float* pBorderColor) {
  return change(context, hTexRef, [&](TextureReference& t) { std::copy_n(pBorderColor, 4, t.how.borderColor); });
}
CUresult TexRefSetFlags(Context& context, CUtexref hTexRef, unsigned int Flags) {
  if (Flags & ~kKnownFlags) return CUDA_ERROR_INVALID_VALUE;
  return change(context, hTexRef, [&](TextureReference& t) { t.how.flags = Flags; });
}

CUresult SurfRefSetArray(Context& context, CUsurfref hSurfRef, CUarray hArray, unsigned int Flags) {
  if (Flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (!textures::find(hArray)) return CUDA_ERROR_INVALID_HANDLE;
  return rebind(context, hSurfRef, [&](TextureReference& t) {
    t.resource = {};
    t.resource.array = hArray;
    return bind(t, CU_RESOURCE_TYPE_ARRAY);
  });
}
CUresult SurfRefGetArray(Context&, CUarray* phArray, CUsurfref hSurfRef) {
  return texture_references::with(hSurfRef, [&](TextureReference& t) {
    if (!t.is_bound) return CUDA_ERROR_INVALID_VALUE;
    *phArray = t.resource.array;
    return CUDA_SUCCESS;
  });
}

}  // namespace nvmlkit::cuda::functions
