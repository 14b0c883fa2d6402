// Green contexts, and their multiprocessors.
#include "driver/cuda/context/green_contexts.hpp"

#include <algorithm>
#include <cstring>

#include "driver/cuda/call.hpp"
#include "driver/cuda/device/attributes.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/launches/clusters.hpp"

namespace nvmlkit::cuda::functions {
namespace {

CUresult write_resource(CUdevResource* to, CUdevResourceType type, const Device& device, long long multiprocessors) {
  if (type != CU_DEV_RESOURCE_TYPE_SM) return CUDA_ERROR_INVALID_RESOURCE_TYPE;
  const auto resource = green_contexts::resource(device, static_cast<unsigned>(multiprocessors));
  std::memcpy(static_cast<void*>(to), &resource, sizeof resource);
  return CUDA_SUCCESS;
}

DevResource read_resource(const void* from) {
  DevResource out;
  std::memcpy(&out, from, sizeof out);
  return out;
}

}  // namespace

CUresult DeviceGetDevResource(CUdevice device, CUdevResource* resource, CUdevResourceType type) {
  auto* const own = find_device(device);
  if (!own) return CUDA_ERROR_INVALID_DEVICE;
  return write_resource(resource, type, *own, attribute_of(*own, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
}

CUresult CtxGetDevResource(CUcontext hCtx, CUdevResource* resource, CUdevResourceType type) {
  const auto context = contexts::find(hCtx ? hCtx : contexts::top());
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  return write_resource(resource, type, context->device, context->multiprocessor_count());
}

CUresult GreenCtxGetDevResource(CUgreenCtx hCtx, CUdevResource* resource, CUdevResourceType type) {
  const auto green = green_contexts::find(hCtx);
  if (!green) return CUDA_ERROR_INVALID_CONTEXT;
  return write_resource(resource, type, *green->device, green->context->multiprocessor_count());
}

CUresult DevSmResourceSplitByCount(CUdevResource* result, unsigned int* nbGroups, const CUdevResource* input,
                                   CUdevResource* remaining, unsigned int useFlags, unsigned int minCount) {
  constexpr unsigned kKnown =
      CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING | CU_DEV_SM_RESOURCE_SPLIT_MAX_POTENTIAL_CLUSTER_SIZE;
  if ((useFlags & ~kKnown) != 0) return CUDA_ERROR_INVALID_VALUE;
  const auto from = read_resource(input);
  const auto* const device = green_contexts::device_of(from);
  if (!device) return CUDA_ERROR_INVALID_RESOURCE_TYPE;
  const auto grain =
      green_contexts::grain_of(*device, (useFlags & CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING) != 0);
  if (minCount > from.multiprocessors) return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
  auto each = (std::max(minCount, grain.smallest) + grain.alignment - 1) / grain.alignment * grain.alignment;
  auto possible = from.multiprocessors / each;
  if (possible == 0) {  // no whole multiple: one group of all
    each = from.multiprocessors;
    possible = 1;
  }
  // The smallest groups lie where clusters do.
  const auto among = static_cast<unsigned>(clusters::multiprocessors_of(*device));
  if (each == grain.smallest && grain.smallest > 2) possible = std::min(possible, std::max(among / each, 1u));
  if (!result) {  // how many there would be
    *nbGroups = possible;
    return CUDA_SUCCESS;
  }
  if (*nbGroups == 0) return CUDA_ERROR_INVALID_VALUE;
  const auto groups = std::min(*nbGroups, possible);
  auto* const out = reinterpret_cast<char*>(result);
  for (unsigned i = 0; i < groups; ++i) {
    const auto group = green_contexts::resource(*device, each);
    std::memcpy(out + i * sizeof group, &group, sizeof group);
  }
  if (remaining) {
    const auto left = from.multiprocessors - groups * each;
    auto rest = green_contexts::resource(*device, left);
    if (left == 0) rest.type = CU_DEV_RESOURCE_TYPE_INVALID;
    std::memcpy(static_cast<void*>(remaining), &rest, sizeof rest);
  }
  *nbGroups = groups;
  return CUDA_SUCCESS;
}

CUresult DevResourceGenerateDesc(CUdevResourceDesc* phDesc, CUdevResource* resources, unsigned int nbResources) {
  if (nbResources == 0) return CUDA_ERROR_INVALID_VALUE;
  auto made = std::make_shared<ResourceDescription>();
  for (unsigned i = 0; i < nbResources; ++i) {
    const auto one = read_resource(reinterpret_cast<const char*>(resources) + i * sizeof(DevResource));
    auto* const device = green_contexts::device_of(one);
    if (!device) return CUDA_ERROR_INVALID_RESOURCE_TYPE;
    if (made->device && made->device != device) return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
    made->device = device;
    made->multiprocessors += one.multiprocessors;
    if (made->multiprocessors > attribute_of(*device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT))
      return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
  }
  *phDesc = green_contexts::add(std::move(made));
  return CUDA_SUCCESS;
}

CUresult GreenCtxCreate(CUgreenCtx* phCtx, CUdevResourceDesc desc, CUdevice dev, unsigned int flags) {
  auto* const device = find_device(dev);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  const auto description = green_contexts::find(desc);
  if (!description || flags != CU_GREEN_CTX_DEFAULT_STREAM) return CUDA_ERROR_INVALID_VALUE;
  if (description->device != device) return CUDA_ERROR_INVALID_DEVICE;
  CUcontext primary = nullptr;
  if (const auto result = DevicePrimaryCtxRetain(&primary, dev); result != CUDA_SUCCESS) return result;
  auto green = std::make_shared<GreenContext>();
  green->device = device;
  if (const auto result = contexts::make(*device, 0, false, 3020, green->context); result != CUDA_SUCCESS) {
    DevicePrimaryCtxRelease_v2(dev);
    return result;
  }
  green->context->multiprocessors = description->multiprocessors;
  *phCtx = green_contexts::add(std::move(green));
  return CUDA_SUCCESS;
}

CUresult GreenCtxDestroy(CUgreenCtx hCtx) {
  const auto green = green_contexts::remove(hCtx);
  if (!green) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  const auto handle = green->context->handle();
  contexts::end(handle);
  if (contexts::top() == handle) contexts::pop();
  DevicePrimaryCtxRelease_v2(green->device->ordinal());
  return CUDA_SUCCESS;
}

CUresult CtxFromGreenCtx(CUcontext* pContext, CUgreenCtx hCtx) {
  const auto green = green_contexts::find(hCtx);
  if (!green) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  *pContext = green->context->handle();
  return CUDA_SUCCESS;
}

CUresult GreenCtxRecordEvent(CUgreenCtx hCtx, CUevent hEvent) {
  const auto green = green_contexts::find(hCtx);
  if (!green) return CUDA_ERROR_INVALID_CONTEXT;
  return EventRecord(*green->context, hEvent, nullptr);
}

CUresult GreenCtxWaitEvent(CUgreenCtx hCtx, CUevent hEvent) {
  const auto green = green_contexts::find(hCtx);
  if (!green) return CUDA_ERROR_INVALID_CONTEXT;
  return StreamWaitEvent(*green->context, nullptr, hEvent, 0);
}

CUresult StreamGetGreenCtx(Context& context, CUstream hStream, CUgreenCtx* phCtx) {
  const auto stream = streams::find(hStream, context);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  *phCtx = green_contexts::of(stream->context);
  return CUDA_SUCCESS;
}

}  // namespace nvmlkit::cuda::functions
