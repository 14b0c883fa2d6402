// Green contexts: contexts on some of a GPU's multiprocessors.
#pragma once

#include <memory>
#include <vector>

#include "driver/cuda/context/context.hpp"

namespace nvmlkit::cuda {

// CUdevResource, with what is ours in its padding.
struct DevResource {
  CUdevResourceType type = CU_DEV_RESOURCE_TYPE_INVALID;
  std::uint32_t mark = 0;
  std::int32_t ordinal = 0;
  unsigned char padding[84] = {};
  unsigned multiprocessors = 0;
  unsigned smallest = 0, alignment = 0;  // of a group
  unsigned char rest[36] = {};
};
static_assert(sizeof(DevResource) == 144);

// What a green context is made of.
struct ResourceDescription {
  Device* device = nullptr;
  unsigned multiprocessors = 0;
};

struct GreenContext {
  Device* device = nullptr;
  std::shared_ptr<Context> context;
};

namespace green_contexts {

// Groups of multiprocessors have a least size, and are multiples of another.
struct Grain {
  unsigned smallest = 1, alignment = 1;
};
Grain grain_of(const Device& device, bool ignores_coscheduling);

DevResource resource(const Device& device, unsigned multiprocessors);
// The GPU of a resource, or null where it is none of multiprocessors.
Device* device_of(const DevResource& resource);

CUdevResourceDesc add(std::shared_ptr<ResourceDescription> description);
std::shared_ptr<ResourceDescription> find(CUdevResourceDesc description);

CUgreenCtx add(std::shared_ptr<GreenContext> green);
std::shared_ptr<GreenContext> find(CUgreenCtx handle);
std::shared_ptr<GreenContext> remove(CUgreenCtx handle);
// The contexts of the green contexts of a GPU.
std::vector<std::shared_ptr<Context>> all_of(const Device& device);
// The green context that a context is of, or null.
CUgreenCtx of(CUcontext context);

}  // namespace green_contexts
}  // namespace nvmlkit::cuda
