// Properties of kernels, and settings before a launch.
#include <algorithm>

#include "driver/cuda/call.hpp"
#include "driver/cuda/code/modules.hpp"
#include "driver/cuda/device/attributes.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/launches/occupancy.hpp"

namespace nvmlkit::cuda::functions {
namespace {

CUfunction as_function(CUkernel kernel) { return reinterpret_cast<CUfunction>(kernel); }

struct Seen {
  std::shared_ptr<const ptx::Function> code;
  std::shared_ptr<KernelSettings> settings;
  const Device* device = nullptr;  // where its module is loaded; the first one for a kernel of a library
  explicit operator bool() const { return code != nullptr; }
};

Seen see(CUfunction handle) {
  Seen out;
  modules::look_at(handle, out.code, out.settings);
  auto result = CUDA_SUCCESS;
  if (const auto function = modules::find_function(handle, nullptr, nullptr, result))
    out.device = function->module->device;
  else if (!devices().empty())
    out.device = &*devices().front();
  return out;
}

CUresult told(const Seen& kernel, CUfunction_attribute attribute, int* out) {
  const auto& code = *kernel.code;
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *out = static_cast<int>(code.max_threads);
      break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      *out = static_cast<int>(code.shared_bytes);
      break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
      *out = 0;
      break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      *out = static_cast<int>(code.local_bytes);
      break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *out = kernel.device ? registers_of(*kernel.device, code) : 0;
      break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
      *out = code.architecture;
      break;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      *out = kernel.device ? modules::capability_of(*kernel.device) : 0;
      break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *out = most_dynamic_shared(*kernel.settings, code);
      break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      *out = kernel.settings->carveout;
      break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
      *out = code.needs_cluster;
      break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
      *out = static_cast<int>(code.cluster[attribute - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH]);
      break;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
      *out = kernel.settings->may_be_non_portable;
      break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      *out = kernel.settings->cluster_policy;
      break;
    default:
      if (attribute >= CU_FUNC_ATTRIBUTE_MAX) return CUDA_ERROR_INVALID_VALUE;
      *out = 0;
  }
  return CUDA_SUCCESS;
}

CUresult set(const Seen& kernel, CUfunction_attribute attribute, int value) {
  if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
    if (!kernel.device) return CUDA_ERROR_INVALID_HANDLE;
    const auto& device = *kernel.device;
    const auto most = device.read([&](const auto& gpu) {
      return nvmlkit::cuda::attribute(device.machine(), gpu, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
          .value_or(0);
    });
    if (value < 0 || value + static_cast<long long>(kernel.code->shared_bytes) > most) return CUDA_ERROR_INVALID_VALUE;
    kernel.settings->most_dynamic_shared = value;
    return CUDA_SUCCESS;
  }
  if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) {
    if (value < -1 || value > 100) return CUDA_ERROR_INVALID_VALUE;
    kernel.settings->carveout = value;
    return CUDA_SUCCESS;
  }
  if (attribute == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED) {
    if (value != 0 && value != 1) return CUDA_ERROR_INVALID_VALUE;
    kernel.settings->may_be_non_portable = value != 0;
    return CUDA_SUCCESS;
  }
  if (attribute == CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE) {
    if (value < 0 || value > static_cast<int>(CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING))
      return CUDA_ERROR_INVALID_VALUE;
    kernel.settings->cluster_policy = value;
    return CUDA_SUCCESS;
  }
  // Values that only a compiler knows.
  const bool of_clusters =
      attribute > CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT && attribute < CU_FUNC_ATTRIBUTE_MAX;
  return of_clusters ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
}

CUresult parameter(const Seen& kernel, std::size_t index, std::size_t* offset, std::size_t* size) {
  if (!kernel) return CUDA_ERROR_INVALID_HANDLE;
  if (index >= kernel.code->parameters.size()) return CUDA_ERROR_INVALID_VALUE;
  *offset = kernel.code->parameters[index].offset;
  if (size) *size = kernel.code->parameters[index].size;
  return CUDA_SUCCESS;
}

}  // namespace

CUresult FuncGetAttribute(int* pi, CUfunction_attribute attrib, CUfunction hfunc) {
  const auto kernel = see(hfunc);
  return kernel ? told(kernel, attrib, pi) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult FuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value) {
  const auto kernel = see(hfunc);
  return kernel ? set(kernel, attrib, value) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult FuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config) {
  if (!see(hfunc)) return CUDA_ERROR_INVALID_HANDLE;
  return config > CU_FUNC_CACHE_PREFER_EQUAL ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult FuncSetSharedMemConfig(CUfunction hfunc, CUsharedconfig config) {
  if (!see(hfunc)) return CUDA_ERROR_INVALID_HANDLE;
  return config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult FuncGetModule(CUmodule* hmod, CUfunction hfunc) {
  auto result = CUDA_SUCCESS;
  const auto function = modules::find_function(hfunc, nullptr, nullptr, result);
  if (!function) return CUDA_ERROR_INVALID_HANDLE;
  *hmod = function->module->handle;
  return CUDA_SUCCESS;
}

CUresult FuncGetName(const char** name, CUfunction hfunc) {
  const auto kernel = see(hfunc);
  if (!kernel) return CUDA_ERROR_INVALID_HANDLE;
  *name = kernel.code->name.c_str();
  return CUDA_SUCCESS;
}

CUresult FuncGetParamInfo(CUfunction func, std::size_t paramIndex, std::size_t* paramOffset, std::size_t* paramSize) {
  return parameter(see(func), paramIndex, paramOffset, paramSize);
}

CUresult FuncIsLoaded(CUfunctionLoadingState* state, CUfunction function) {
  if (!see(function)) return CUDA_ERROR_INVALID_HANDLE;
  *state = CU_FUNCTION_LOADING_STATE_LOADED;
  return CUDA_SUCCESS;
}

CUresult FuncLoad(CUfunction function) { return see(function) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE; }

CUresult KernelGetFunction(Context& context, CUfunction* pFunc, CUkernel kernel) {
  const auto found = modules::find_kernel(kernel);
  const auto library = found ? found->library.lock() : nullptr;
  if (!library) return CUDA_ERROR_INVALID_HANDLE;
  CUmodule module = nullptr;
  const auto result = modules::module_in(*library, context.device, context.handle(), module);
  if (result != CUDA_SUCCESS) return result;
  const auto loaded = modules::find(module);
  *pFunc = loaded ? modules::function(*loaded, found->code->name) : nullptr;
  return *pFunc ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult KernelGetAttribute(int* pi, CUfunction_attribute attrib, CUkernel kernel, CUdevice dev) {
  auto seen = see(as_function(kernel));
  seen.device = find_device(dev);
  if (!seen.device) return CUDA_ERROR_INVALID_DEVICE;
  return seen ? told(seen, attrib, pi) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult KernelSetAttribute(CUfunction_attribute attrib, int val, CUkernel kernel, CUdevice dev) {
  if (!find_device(dev)) return CUDA_ERROR_INVALID_DEVICE;
  return FuncSetAttribute(as_function(kernel), attrib, val);
}

CUresult KernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice dev) {
  if (!find_device(dev)) return CUDA_ERROR_INVALID_DEVICE;
  return FuncSetCacheConfig(as_function(kernel), config);
}

CUresult KernelGetLibrary(CUlibrary* pLib, CUkernel kernel) {
  const auto own = modules::find_kernel(kernel);
  if (!own || own->library.expired()) return CUDA_ERROR_INVALID_HANDLE;
  *pLib = own->library_handle;
  return CUDA_SUCCESS;
}

CUresult KernelGetName(const char** name, CUkernel hfunc) { return FuncGetName(name, as_function(hfunc)); }

CUresult KernelGetParamInfo(CUkernel kernel, std::size_t paramIndex, std::size_t* paramOffset, std::size_t* paramSize) {
  return parameter(see(as_function(kernel)), paramIndex, paramOffset, paramSize);
}

}  // namespace nvmlkit::cuda::functions
