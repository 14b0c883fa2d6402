#include "libraries/cufft/functions/gpus.hpp"

#include <bit>
#include <map>

#include "base/never_destroyed.hpp"
#include "libraries/cufft/copies.hpp"

namespace nvmlkit::cufft::functions {
namespace {

constexpr int kMostGpus = 16;

// What allocate() made. The descriptor is the first member.
struct Allocation {
  Descriptor descriptor{};
  Memory memory{};
  std::shared_ptr<const Gpus> gpus;  // null: of a plan with one GPU, which has no memory

  ~Allocation() {
    for (int g = 0; gpus && g < gpus->count(); ++g) {
      const InContext in_context((*gpus)[g].context);
      if (memory.data[g]) calls()->driver->release(reinterpret_cast<cuda::CUdeviceptr>(memory.data[g]));
    }
  }
};

struct Allocations {
  std::mutex mutex;
  std::map<const Descriptor*, std::unique_ptr<Allocation>> all;
};

Allocations& allocations() {
  static NeverDestroyed<Allocations> the;
  return *the;
}

cufftResult give_memory(Allocation& made, const Plan& plan, cufftXtSubFormat format) {
  if (const auto result = plan.spread()->check(format); result != CUFFT_SUCCESS) return result;
  made.gpus = plan.gpus();
  made.memory.gpu_count = made.gpus->count();
  for (int g = 0; g < made.gpus->count(); ++g) {
    made.memory.gpus[g] = (*made.gpus)[g].number;
    made.memory.size[g] = plan.spread()->bytes(format, g);
    if (made.memory.size[g] == 0) continue;
    const InContext in_context((*made.gpus)[g].context);
    cuda::CUdeviceptr address = 0;
    if (calls()->driver->allocate(&address, made.memory.size[g]) != cuda::CUDA_SUCCESS) return CUFFT_ALLOC_FAILED;
    made.memory.data[g] = reinterpret_cast<void*>(address);
  }
  return CUFFT_SUCCESS;
}

int shift_of(std::int64_t power) { return std::countr_zero(static_cast<std::uint64_t>(power)); }

}  // namespace

cufftResult set_gpus(const Call& call, int count, int* numbers) {
  if (call.plan.layout()) return CUFFT_INVALID_PLAN;
  if (call.plan.callbacks) return CUFFT_NOT_SUPPORTED;
  if (count < 2 || count > kMostGpus || !numbers) return CUFFT_INVALID_VALUE;
  std::shared_ptr<const Gpus> made;
  if (const auto result = Gpus::make(numbers, count, made); result != CUFFT_SUCCESS) return result;
  call.plan.set_gpus(std::move(made));
  return CUFFT_SUCCESS;
}

cufftResult query(const Call& call, void* out, cufftXtQueryType type) {
  if (!out || type != CUFFT_QUERY_1D_FACTORS) return CUFFT_INVALID_VALUE;
  const auto& spread = call.plan.spread();
  if (!spread || spread->kind() != Spread::Kind::line) return CUFFT_INVALID_PLAN;
  const auto& f = spread->factors();
  *static_cast<LineFactors*>(out) = {.size = f.size(),
                                     .string_count = f.strings,
                                     .string_length = f.string(),
                                     .substring_length = f.substring(),
                                     .factor1 = f.factor1,
                                     .factor2 = f.factor2,
                                     .string_mask = f.string() - 1,
                                     .substring_mask = f.substring() - 1,
                                     .factor1_mask = f.factor1 - 1,
                                     .factor2_mask = f.factor2 - 1,
                                     .string_shift = shift_of(f.string()),
                                     .substring_shift = shift_of(f.substring()),
                                     .factor1_shift = shift_of(f.factor1),
                                     .factor2_shift = shift_of(f.factor2)};
  return CUFFT_SUCCESS;
}

cufftResult allocate(const Call& call, Descriptor** descriptor, cufftXtSubFormat format) {
  if (!call.plan.layout()) return CUFFT_INVALID_PLAN;
  if (!descriptor) return CUFFT_INVALID_VALUE;
  auto made = std::make_unique<Allocation>();
  made->memory.gpu_count = 1;
  if (call.plan.spread())
    if (const auto result = give_memory(*made, call.plan, format); result != CUFFT_SUCCESS) return result;
  made->descriptor.memory = &made->memory;
  made->descriptor.format = static_cast<int>(format);
  made->descriptor.of_library = made.get();
  *descriptor = &made->descriptor;
  auto& known = allocations();
  const std::lock_guard lock(known.mutex);
  known.all.emplace(*descriptor, std::move(made));
  return CUFFT_SUCCESS;
}

cufftResult release(Descriptor* descriptor) {
  if (!descriptor) return CUFFT_SUCCESS;
  auto& known = allocations();
  std::unique_ptr<Allocation> removed;
  const std::lock_guard lock(known.mutex);
  const auto found = known.all.find(descriptor);
  if (found == known.all.end()) return CUFFT_INVALID_VALUE;
  removed = std::move(found->second);
  known.all.erase(found);
  return CUFFT_SUCCESS;
}

cufftResult copy(const Call& call, void* to, void* from, cufftXtCopyType type) {
  if (!call.plan.layout()) return CUFFT_INVALID_PLAN;
  if (type > CUFFT_COPY_DEVICE_TO_DEVICE || !to || !from) return CUFFT_INVALID_VALUE;
  if (!call.plan.spread()) return CUFFT_SUCCESS;  // descriptors of one GPU are empty
  if (type == CUFFT_COPY_HOST_TO_DEVICE) return copy_to_gpus(call.plan, *static_cast<Descriptor*>(to), from);
  auto& source = *static_cast<Descriptor*>(from);
  if (type == CUFFT_COPY_DEVICE_TO_HOST) return copy_to_host(call.plan, to, source);
  return copy_between(call.plan, *static_cast<Descriptor*>(to), source);
}

}  // namespace nvmlkit::cufft::functions
