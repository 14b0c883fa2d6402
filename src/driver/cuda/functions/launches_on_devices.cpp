// One cooperative kernel on several GPUs: a launch on each, which run beside each other.
#include <algorithm>
#include <set>

#include "driver/cuda/call.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/graphs/work.hpp"

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

CUresult prepare(Context& current, const CUDA_LAUNCH_PARAMS& p, LaunchOnDevice& out) {
  // The streams have to be of their GPUs, which default streams are not.
  if (!p.hStream || p.hStream == kLegacyStream || p.hStream == kPerThreadStream) return CUDA_ERROR_INVALID_VALUE;
  const auto stream = streams::find(p.hStream, current);
  out.context = stream ? contexts::find(stream->context) : nullptr;
  if (!out.context) return CUDA_ERROR_INVALID_HANDLE;
  const ptx::Function* code = nullptr;
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
  constexpr unsigned kKnownFlags = 3;  // no synchronization before, none behind
  if (numDevices == 0 || numDevices > devices().size() || (flags & ~kKnownFlags) != 0) return CUDA_ERROR_INVALID_VALUE;
  std::vector<LaunchOnDevice> launches(numDevices);
  std::set<const Device*> used;
  for (unsigned i = 0; i < numDevices; ++i) {
    if (!is_same_shape(launchParamsList[i], launchParamsList[0])) return CUDA_ERROR_INVALID_VALUE;
    if (const auto result = prepare(context, launchParamsList[i], launches[i]); result != CUDA_SUCCESS) return result;
    if (!used.insert(&launches[i].context->device).second) return CUDA_ERROR_INVALID_DEVICE;
  }
  for (auto& one : launches)
    if (const auto result = enqueue(*one.context, one.stream, std::move(one.work)); result != CUDA_SUCCESS)
      return result;
  return CUDA_SUCCESS;
}

}  // namespace nvmlkit::cuda::functions
