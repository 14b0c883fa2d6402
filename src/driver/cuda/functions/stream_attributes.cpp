// Attributes of streams. They are kept and reported, and have no effect.
#include <algorithm>
#include <cstring>

#include "driver/cuda/call.hpp"
#include "driver/cuda/generated/functions.hpp"

namespace nvmlkit::cuda::functions {
namespace {

bool is_of_streams(CUstreamAttrID which) {
  return which == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW || which == CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY ||
         which == CU_LAUNCH_ATTRIBUTE_PRIORITY || which == CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP ||
         which == CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN;
}

// Calls work(stream, its attributes) with the attributes to itself.
template <class Work>
CUresult with_attributes(Context& context, CUstream handle, Work work) {
  const auto stream = streams::find(handle, context);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  return context.with([&](auto& settings) { return work(*stream, settings.stream_attributes[stream->id]); });
}

}  // namespace

CUresult StreamGetAttribute(Context& context, CUstream hStream, CUstreamAttrID attr, CUstreamAttrValue* value_out) {
  if (!is_of_streams(attr)) return CUDA_ERROR_INVALID_VALUE;
  return with_attributes(context, hStream, [&](Stream& stream, AttributeStorage& attributes) {
    const auto at = attributes.find(attr);
    auto value = at == attributes.end() ? attribute_default(attr) : at->second;
    if (attr == CU_LAUNCH_ATTRIBUTE_PRIORITY) std::memcpy(value.data(), &stream.priority, sizeof stream.priority);
    std::memcpy(static_cast<void*>(value_out), value.data(), value.size());
    return CUDA_SUCCESS;
  });
}

CUresult StreamSetAttribute(Context& context, CUstream hStream, CUstreamAttrID attr, const CUstreamAttrValue* value) {
  AttributeBytes bytes;
  std::memcpy(bytes.data(), static_cast<const void*>(value), bytes.size());
  if (!is_of_streams(attr) || !is_attribute_value(context.device, attr, bytes)) return CUDA_ERROR_INVALID_VALUE;
  return with_attributes(context, hStream, [&](Stream& stream, AttributeStorage& attributes) {
    if (attr == CU_LAUNCH_ATTRIBUTE_PRIORITY) {
      int priority = 0;
      std::memcpy(&priority, bytes.data(), sizeof priority);
      stream.priority = std::clamp(priority, streams::kGreatestPriority, streams::kLeastPriority);
    } else {
      attributes[attr] = bytes;
    }
    return CUDA_SUCCESS;
  });
}

CUresult StreamCopyAttributes(Context& context, CUstream dst, CUstream src) {
  AttributeStorage copy;
  const auto result = with_attributes(context, src, [&](Stream&, const AttributeStorage& attributes) {
    copy = attributes;
    return CUDA_SUCCESS;
  });
  if (result != CUDA_SUCCESS) return result;
  return with_attributes(context, dst, [&](Stream&, AttributeStorage& attributes) {
    attributes = copy;
    return CUDA_SUCCESS;
  });
}

}  // namespace nvmlkit::cuda::functions
