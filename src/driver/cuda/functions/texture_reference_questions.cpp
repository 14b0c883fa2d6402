// Getters of texture references: their bindings, and their modes.
#include <algorithm>

#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/textures/texture_references.hpp"

namespace nvmlkit::cuda::functions {

CUresult TexRefGetAddress_v2(Context&, CUdeviceptr* pdptr, CUtexref hTexRef) {
  return texture_references::with(hTexRef, [&](TextureReference& t) {
    const bool pitched = t.resource.type == CU_RESOURCE_TYPE_PITCH2D;
    if (!t.is_bound || (!pitched && t.resource.type != CU_RESOURCE_TYPE_LINEAR)) return CUDA_ERROR_INVALID_VALUE;
    *pdptr = pitched ? t.resource.pitched.address : t.resource.linear.address;
    return CUDA_SUCCESS;
  });
}
CUresult TexRefGetArray(Context&, CUarray* phArray, CUtexref hTexRef) {
  return texture_references::with(hTexRef, [&](TextureReference& t) {
    if (!t.is_bound || t.resource.type != CU_RESOURCE_TYPE_ARRAY) return CUDA_ERROR_INVALID_VALUE;
    *phArray = t.resource.array;
    return CUDA_SUCCESS;
  });
}
CUresult TexRefGetMipmappedArray(Context&, CUmipmappedArray* phMipmappedArray, CUtexref hTexRef) {
  return texture_references::with(hTexRef, [&](TextureReference& t) {
    if (!t.is_bound || t.resource.type != CU_RESOURCE_TYPE_MIPMAPPED_ARRAY) return CUDA_ERROR_INVALID_VALUE;
    *phMipmappedArray = t.resource.mipmap;
    return CUDA_SUCCESS;
  });
}
CUresult TexRefGetAddressMode(Context&, CUaddress_mode* pam, CUtexref hTexRef, int dim) {
  if (dim < 0 || dim > 2) return CUDA_ERROR_INVALID_VALUE;
  return texture_references::with(hTexRef, [&](TextureReference& t) {
    *pam = t.how.addressMode[dim];
    return CUDA_SUCCESS;
  });
}
CUresult TexRefGetFilterMode(Context&, CUfilter_mode* pfm, CUtexref hTexRef) {
  return texture_references::with(hTexRef, [&](TextureReference& t) {
    *pfm = t.how.filterMode;
    return CUDA_SUCCESS;
  });
}
CUresult TexRefGetFormat(Context&, CUarray_format* pFormat, int* pNumChannels, CUtexref hTexRef) {
  return texture_references::with(hTexRef, [&](TextureReference& t) {
    if (pFormat) *pFormat = t.format;
    if (pNumChannels) *pNumChannels = static_cast<int>(t.channels);
    return CUDA_SUCCESS;
  });
}
CUresult TexRefGetMipmapFilterMode(Context&, CUfilter_mode* pfm, CUtexref hTexRef) {
  return texture_references::with(hTexRef, [&](TextureReference& t) {
    *pfm = t.how.mipmapFilterMode;
    return CUDA_SUCCESS;
  });
}
CUresult TexRefGetMipmapLevelBias(Context&, float* pbias, CUtexref hTexRef) {
  return texture_references::with(hTexRef, [&](TextureReference& t) {
    *pbias = t.how.mipmapLevelBias;
    return CUDA_SUCCESS;
  });
}
CUresult TexRefGetMipmapLevelClamp(Context&, float* pminMipmapLevelClamp, float* pmaxMipmapLevelClamp,
                                   CUtexref hTexRef) {
  return texture_references::with(hTexRef, [&](TextureReference& t) {
    if (pminMipmapLevelClamp) *pminMipmapLevelClamp = t.how.minMipmapLevelClamp;
    if (pmaxMipmapLevelClamp) *pmaxMipmapLevelClamp = t.how.maxMipmapLevelClamp;
    return CUDA_SUCCESS;
  });
}
CUresult TexRefGetMaxAnisotropy(Context&, int* pmaxAniso, CUtexref hTexRef) {
  return texture_references::with(hTexRef, [&](TextureReference& t) {
    *pmaxAniso = static_cast<int>(t.how.maxAnisotropy);
    return CUDA_SUCCESS;
  });
}
CUresult TexRefGetBorderColor(Context&, float* pBorderColor, CUtexref hTexRef) {
  return texture_references::with(hTexRef, [&](TextureReference& t) {
    std::copy_n(t.how.borderColor, 4, pBorderColor);
    return CUDA_SUCCESS;
  });
}
CUresult TexRefGetFlags(Context&, unsigned int* pFlags, CUtexref hTexRef) {
  return texture_references::with(hTexRef, [&](TextureReference& t) {
    *pFlags = t.how.flags;
    return CUDA_SUCCESS;
  });
}

}  // namespace nvmlkit::cuda::functions
