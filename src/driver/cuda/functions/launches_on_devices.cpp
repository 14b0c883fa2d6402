// A cooperative kernel on several GPUs: one launch on each, side by side.
#include <cstring>
#include <set>

#include "driver/cuda/call.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/work/enqueue.hpp"
#include "ptx/builtins/grid_groups.hpp"

namespace nvmlkit::cuda::functions {
namespace {

bool is_same_shape(const CUDA_LAUNCH_PARAMS& a, const CUDA_LAUNCH_PARAMS& b) {
  return a.gridDimX == b.gridDimX && a.gridDimY == b.gridDimY && a.gridDimZ == b.gridDimZ &&
         a.blockDimX == b.blockDimX && a.blockDimY == b.blockDimY && a.blockDimZ == b.blockDimZ &&
         a.sharedMemBytes == b.sharedMemBytes;
}

struct LaunchOnDevice {
  std::shared_ptr<Context> context;
  CUstream stream = nullptr;
  KernelWork work;
};

// The memory that the grids have in common: the barrier, and behind it a part for each.
std::shared_ptr<const Allocation> common_memory(Context& context, const CUDA_LAUNCH_PARAMS& shape, unsigned grids) {
  const auto made =
      memory::allocate(MemoryKind::managed, context.device, context.handle(), (grids + 1) * sizeof(ptx::GridOfMany));
  if (!made) return nullptr;
  const auto blocks = shape.gridDimX * shape.gridDimY * shape.gridDimZ;
  const auto threads = blocks * shape.blockDimX * shape.blockDimY * shape.blockDimZ;
  for (unsigned i = 0; i < grids; ++i) {
    const ptx::GridOfMany part{made->address, i, grids, i * threads, grids * threads, grids * blocks};
    std::memcpy(made->bytes + (i + 1) * sizeof part, &part, sizeof part);
  }
  return {made.get(),
          [made](const Allocation* of) { memory::remove(of->address, MemoryKind::managed, MemoryKind::managed); }};
}

// What follows in one of the streams comes behind what any of them was handed until now.
CUresult wait_for_each_other(const std::vector<LaunchOnDevice>& launches) {
  std::vector<CUevent> events;
  auto result = CUDA_SUCCESS;
  const auto hand_over = [&](const LaunchOnDevice& one, StreamWork work) {
    if (result == CUDA_SUCCESS) result = enqueue(*one.context, one.stream, std::move(work));
  };
  for (const auto& one : launches) {
    events.push_back(streams::add_event(one.context->handle(), CU_EVENT_DISABLE_TIMING));
    hand_over(one, RecordWork{events.back()});
  }
  for (std::size_t i = 0; i < launches.size(); ++i)
    for (std::size_t k = 0; k < events.size(); ++k)
      if (k != i) hand_over(launches[i], WaitWork{events[k]});
  for (const auto event : events) streams::remove_event(event);
  return result;
}

CUresult prepare(Context& current, const CUDA_LAUNCH_PARAMS& p, LaunchOnDevice& out) {
  // The streams have to be of their GPUs, which default streams are not.
  if (!p.hStream || p.hStream == kLegacyStream || p.hStream == kPerThreadStream) return CUDA_ERROR_INVALID_VALUE;
  const auto stream = streams::find(p.hStream, current);
  out.context = stream ? contexts::find(stream->context) : nullptr;
  if (!out.context) return CUDA_ERROR_INVALID_HANDLE;
  if (stream->capture) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  std::shared_ptr<const ptx::Function> code;
  std::shared_ptr<KernelSettings> settings;
  if (!modules::look_at(p.function, code, settings)) return CUDA_ERROR_INVALID_HANDLE;
  out.stream = p.hStream;
  out.work.function = p.function;
  out.work.context = out.context->handle();
  out.work.shape = {
      {p.gridDimX, p.gridDimY, p.gridDimZ}, {p.blockDimX, p.blockDimY, p.blockDimZ}, p.sharedMemBytes, true};
  return pack_arguments(*code, p.kernelParams, nullptr, out.work.arguments);
}

}  // namespace

CUresult LaunchCooperativeKernelMultiDevice(Context& context, CUDA_LAUNCH_PARAMS* launchParamsList,
                                            unsigned int numDevices, unsigned int flags) {
  constexpr unsigned kNotBefore = 1, kNotBehind = 2;  // does not wait for what is in other streams, nor they for it
  if (numDevices == 0 || numDevices > devices().size() || (flags & ~(kNotBefore | kNotBehind)) != 0)
    return CUDA_ERROR_INVALID_VALUE;
  std::vector<LaunchOnDevice> launches(numDevices);
  std::set<const Device*> used;
  for (unsigned i = 0; i < numDevices; ++i) {
    if (!is_same_shape(launchParamsList[i], launchParamsList[0])) return CUDA_ERROR_INVALID_VALUE;
    if (const auto result = prepare(context, launchParamsList[i], launches[i]); result != CUDA_SUCCESS) return result;
    if (!used.insert(&launches[i].context->device).second) return CUDA_ERROR_INVALID_DEVICE;
  }
  const auto common = common_memory(context, launchParamsList[0], numDevices);
  if (!common) return CUDA_ERROR_OUT_OF_MEMORY;
  if (!(flags & kNotBefore))
    if (const auto result = wait_for_each_other(launches); result != CUDA_SUCCESS) return result;
  for (unsigned i = 0; i < numDevices; ++i) {
    auto& one = launches[i];
    one.work.of_many = common;
    one.work.place_in_many = common->address + (i + 1) * sizeof(ptx::GridOfMany);
    if (const auto result = enqueue(*one.context, one.stream, std::move(one.work)); result != CUDA_SUCCESS)
      return result;
  }
  return flags & kNotBehind ? CUDA_SUCCESS : wait_for_each_other(launches);
}

}  // namespace nvmlkit::cuda::functions
