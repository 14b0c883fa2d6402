// Launches from before CUDA 4: separate calls set the shape and each argument of a function.
#include <cstring>
#include <map>
#include <mutex>

#include "base/never_destroyed.hpp"
#include "driver/cuda/call.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/work/enqueue.hpp"

namespace nvmlkit::cuda::functions {
namespace {

struct Told {
  unsigned block[3] = {1, 1, 1};
  unsigned shared = 0;
  std::size_t size = 0;
  std::vector<std::byte> arguments;
};

struct AllTold {
  std::mutex mutex;
  std::map<CUfunction, Told> by_function;
};
AllTold& all_told() {
  static NeverDestroyed<AllTold> the;
  return *the;
}

// Calls work(launch settings, code of the function).
template <class Work>
CUresult with_told(CUfunction function, Work work) {
  std::shared_ptr<const ptx::Function> code;
  std::shared_ptr<KernelSettings> settings;
  if (!modules::look_at(function, code, settings)) return CUDA_ERROR_INVALID_HANDLE;
  auto& all = all_told();
  const std::lock_guard lock(all.mutex);
  return work(all.by_function[function], *code);
}

CUresult put(CUfunction function, int offset, const void* bytes, std::size_t size) {
  constexpr std::size_t kMost = 4096;
  return with_told(function, [&](Told& told, const ptx::Function&) {
    if (offset < 0 || static_cast<std::size_t>(offset) > kMost || size > kMost - static_cast<std::size_t>(offset))
      return CUDA_ERROR_INVALID_VALUE;
    const auto end = static_cast<std::size_t>(offset) + size;
    if (told.arguments.size() < end) told.arguments.resize(end);
    if (size > 0) std::memcpy(told.arguments.data() + offset, bytes, size);
    return CUDA_SUCCESS;
  });
}

CUresult launch_told(Context& context, CUfunction function, int width, int height, CUstream stream) {
  if (width <= 0 || height <= 0) return CUDA_ERROR_INVALID_VALUE;
  KernelWork work;
  work.function = function;
  work.context = context.handle();
  const auto result = with_told(function, [&](const Told& told, const ptx::Function& code) {
    if (told.size != code.kernel_param_bytes || told.arguments.size() > told.size) return CUDA_ERROR_INVALID_VALUE;
    work.shape.grid[0] = static_cast<unsigned>(width);
    work.shape.grid[1] = static_cast<unsigned>(height);
    for (int k = 0; k < 3; ++k) work.shape.block[k] = told.block[k];
    work.shape.dynamic_shared = told.shared;
    work.arguments = told.arguments;
    work.arguments.resize(told.size);
    return CUDA_SUCCESS;
  });
  return result == CUDA_SUCCESS ? enqueue(context, stream, std::move(work)) : result;
}

}  // namespace

CUresult FuncSetBlockShape(Context&, CUfunction hfunc, int x, int y, int z) {
  if (x <= 0 || y <= 0 || z <= 0) return CUDA_ERROR_INVALID_VALUE;
  return with_told(hfunc, [&](Told& told, const ptx::Function&) {
    told.block[0] = static_cast<unsigned>(x);
    told.block[1] = static_cast<unsigned>(y);
    told.block[2] = static_cast<unsigned>(z);
    return CUDA_SUCCESS;
  });
}

CUresult FuncSetSharedSize(Context&, CUfunction hfunc, unsigned int bytes) {
  return with_told(hfunc, [&](Told& told, const ptx::Function&) {
    told.shared = bytes;
    return CUDA_SUCCESS;
  });
}

CUresult ParamSetSize(Context&, CUfunction hfunc, unsigned int numbytes) {
  return with_told(hfunc, [&](Told& told, const ptx::Function&) {
    told.size = numbytes;
    if (told.arguments.size() > numbytes) told.arguments.resize(numbytes);
    return CUDA_SUCCESS;
  });
}

CUresult ParamSeti(Context&, CUfunction hfunc, int offset, unsigned int value) {
  return put(hfunc, offset, &value, sizeof value);
}

CUresult ParamSetf(Context&, CUfunction hfunc, int offset, float value) {
  return put(hfunc, offset, &value, sizeof value);
}

CUresult ParamSetv(Context&, CUfunction hfunc, int offset, void* ptr, unsigned int numbytes) {
  return put(hfunc, offset, ptr, numbytes);
}

CUresult Launch(Context& context, CUfunction f) { return launch_told(context, f, 1, 1, nullptr); }

CUresult LaunchGrid(Context& context, CUfunction f, int grid_width, int grid_height) {
  return launch_told(context, f, grid_width, grid_height, nullptr);
}

CUresult LaunchGridAsync(Context& context, CUfunction f, int grid_width, int grid_height, CUstream hStream) {
  return launch_told(context, f, grid_width, grid_height, hStream);
}

}  // namespace nvmlkit::cuda::functions
