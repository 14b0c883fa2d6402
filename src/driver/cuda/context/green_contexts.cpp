#include "driver/cuda/context/green_contexts.hpp"

#include "base/never_destroyed.hpp"
#include "driver/cuda/device/attributes.hpp"
#include "driver/cuda/handles.hpp"
#include "driver/cuda/process.hpp"

namespace nvmlkit::cuda::green_contexts {
namespace {

constexpr std::uint32_t kMark = 0x6E766B72;

auto& all_descriptions() {
  static NeverDestroyed<Handles<CUdevResourceDesc, ResourceDescription, HandleKind::resource_description>> the;
  return *the;
}
auto& all_green() {
  static NeverDestroyed<Handles<CUgreenCtx, GreenContext, HandleKind::green_context>> the;
  return *the;
}

}  // namespace

Grain grain_of(const Device& device, bool ignores_coscheduling) {
  const auto major = attribute_of(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  if (major >= 9) return ignores_coscheduling ? Grain{2, 2} : Grain{8, 8};
  if (major == 8) return {4, 2};
  return major == 7 ? Grain{2, 2} : Grain{};
}

DevResource resource(const Device& device, unsigned multiprocessors) {
  const auto grain = grain_of(device, false);
  DevResource out;
  out.type = CU_DEV_RESOURCE_TYPE_SM;
  out.mark = kMark;
  out.ordinal = device.ordinal();
  out.multiprocessors = multiprocessors;
  out.smallest = grain.smallest;
  out.alignment = grain.alignment;
  return out;
}

Device* device_of(const DevResource& resource) {
  if (resource.type != CU_DEV_RESOURCE_TYPE_SM || resource.mark != kMark || resource.multiprocessors == 0)
    return nullptr;
  auto* const device = find_device(resource.ordinal);
  const bool is_right =
      device && resource.multiprocessors <= attribute_of(*device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  return is_right ? device : nullptr;
}

CUdevResourceDesc add(std::shared_ptr<ResourceDescription> description) {
  return all_descriptions().add(std::move(description));
}
std::shared_ptr<ResourceDescription> find(CUdevResourceDesc description) {
  return all_descriptions().find(description);
}

CUgreenCtx add(std::shared_ptr<GreenContext> green) {
  auto& context = *green->context;
  const auto handle = all_green().add(std::move(green));
  context.green = handle;
  return handle;
}
std::shared_ptr<GreenContext> find(CUgreenCtx handle) { return all_green().find(handle); }
std::shared_ptr<GreenContext> remove(CUgreenCtx handle) { return all_green().remove(handle); }

std::vector<std::shared_ptr<Context>> all_of(const Device& device) {
  std::vector<std::shared_ptr<Context>> out;
  all_green().each([&](const GreenContext& green) {
    if (green.device == &device) out.push_back(green.context);
  });
  return out;
}

CUgreenCtx of(CUcontext handle) {
  const auto context = contexts::find(handle);
  return context ? context->green.load() : nullptr;
}

}  // namespace nvmlkit::cuda::green_contexts
