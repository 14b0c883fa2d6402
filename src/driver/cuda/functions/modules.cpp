// Modules and libraries.
#include "driver/cuda/code/modules.hpp"

#include <cstdlib>
#include <cstring>

#include "driver/cuda/call.hpp"
#include "driver/cuda/code/jit_options.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/streams/schedule.hpp"

namespace nvmlkit::cuda::functions {
namespace {

std::shared_ptr<const std::string> shared(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

CUresult load(Context& context, CUmodule* out, modules::Refusal refusal, std::string text) {
  if (refusal.result == CUDA_SUCCESS)
    refusal = modules::load(context.device, context.handle(), shared(std::move(text)), *out);
  return modules::tell(refusal);
}

// The capability for the choice of code without a context.
int any_capability() { return devices().empty() ? 90 : modules::capability_of(*devices().front()); }

CUresult load_library(CUlibrary* out, modules::Refusal refusal, std::string text) {
  if (refusal.result == CUDA_SUCCESS) refusal = modules::load_library(shared(std::move(text)), *out);
  return modules::tell(refusal);
}

}  // namespace

CUresult ModuleLoad(Context& context, CUmodule* module, const char* fname) {
  std::string text;
  auto refusal = modules::ptx_of_file(fname, modules::capability_of(context.device), text);
  context.printed().flush();
  return load(context, module, std::move(refusal), std::move(text));
}

CUresult ModuleLoadDataEx(Context& context, CUmodule* module, const void* image, unsigned int numOptions,
                          CUjit_option* options, void** optionValues) {
  if (numOptions > CU_JIT_NUM_OPTIONS) return CUDA_ERROR_INVALID_VALUE;
  std::string text;
  auto refusal = modules::ptx_of(image, modules::capability_of(context.device), text);
  if (refusal.result == CUDA_SUCCESS)
    refusal = modules::load(context.device, context.handle(), shared(std::move(text)), *module);
  JitLogs(numOptions, options, optionValues).write(refusal.logged());
  return modules::tell(refusal);
}

CUresult ModuleLoadData(Context& context, CUmodule* module, const void* image) {
  return ModuleLoadDataEx(context, module, image, 0, nullptr, nullptr);
}

CUresult ModuleLoadFatBinary(Context& context, CUmodule* module, const void* fatCubin) {
  return ModuleLoadDataEx(context, module, fatCubin, 0, nullptr, nullptr);
}

CUresult ModuleUnload(CUmodule hmod) {
  const auto module = modules::find(hmod);
  if (!module) return CUDA_ERROR_INVALID_HANDLE;
  // What runs may be its code.
  if (const auto context = contexts::find(module->context))
    if (const auto result = schedule::wait_for_all(*context); result != CUDA_SUCCESS) return result;
  return modules::unload(hmod) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult ModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  const char* asked = std::getenv("CUDA_MODULE_LOADING");
  *mode = asked && std::strcmp(asked, "EAGER") == 0 ? CU_MODULE_EAGER_LOADING : CU_MODULE_LAZY_LOADING;
  return CUDA_SUCCESS;
}

CUresult ModuleGetFunction(Context&, CUfunction* hfunc, CUmodule hmod, const char* name) {
  const auto module = modules::find(hmod);
  if (!module) return CUDA_ERROR_INVALID_HANDLE;
  if (*name == '\0') return CUDA_ERROR_INVALID_VALUE;
  *hfunc = modules::function(*module, name);
  return *hfunc ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult ModuleGetFunctionCount(Context&, unsigned int* count, CUmodule mod) {
  const auto module = modules::find(mod);
  if (!module) return CUDA_ERROR_INVALID_HANDLE;
  *count = static_cast<unsigned>(module->functions.size());
  return CUDA_SUCCESS;
}

CUresult ModuleEnumerateFunctions(Context&, CUfunction* functions, unsigned int numFunctions, CUmodule mod) {
  const auto module = modules::find(mod);
  if (!module) return CUDA_ERROR_INVALID_HANDLE;
  for (const auto& [name, function] : module->functions) {
    if (numFunctions-- == 0) break;
    *functions++ = function;
  }
  return CUDA_SUCCESS;
}

CUresult ModuleGetGlobal_v2(Context&, CUdeviceptr* dptr, std::size_t* bytes, CUmodule hmod, const char* name) {
  const auto module = modules::find(hmod);
  return module ? modules::variable(*module, name, dptr, bytes, false) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult LibraryLoadData(CUlibrary* library, const void* code, CUjit_option* jitOptions, void** jitOptionsValues,
                         unsigned int numJitOptions, CUlibraryOption*, void**, unsigned int) {
  if (numJitOptions > CU_JIT_NUM_OPTIONS) return CUDA_ERROR_INVALID_VALUE;
  std::string text;
  auto refusal = modules::ptx_of(code, any_capability(), text);
  JitLogs(numJitOptions, jitOptions, jitOptionsValues).write(refusal.logged());
  return load_library(library, std::move(refusal), std::move(text));
}

CUresult LibraryLoadFromFile(CUlibrary* library, const char* fileName, CUjit_option*, void**, unsigned int,
                             CUlibraryOption*, void**, unsigned int) {
  std::string text;
  auto refusal = modules::ptx_of_file(fileName, any_capability(), text);
  return load_library(library, std::move(refusal), std::move(text));
}

CUresult LibraryUnload(CUlibrary library) {
  if (!modules::find_library(library)) return CUDA_ERROR_INVALID_HANDLE;
  for (const auto& point : schedule::ends([](const Stream&) { return true; }))
    if (const auto context = contexts::find(point.stream->context)) schedule::wait(*context, {point});
  return modules::unload_library(library) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult LibraryGetKernel(CUkernel* pKernel, CUlibrary library, const char* name) {
  const auto found = modules::find_library(library);
  if (!found) return CUDA_ERROR_INVALID_HANDLE;
  *pKernel = modules::kernel(*found, name);
  return *pKernel ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult LibraryGetKernelCount(unsigned int* count, CUlibrary lib) {
  const auto found = modules::find_library(lib);
  if (!found) return CUDA_ERROR_INVALID_HANDLE;
  *count = static_cast<unsigned>(found->kernels.size());
  return CUDA_SUCCESS;
}

CUresult LibraryEnumerateKernels(CUkernel* kernels, unsigned int numKernels, CUlibrary lib) {
  const auto found = modules::find_library(lib);
  if (!found) return CUDA_ERROR_INVALID_HANDLE;
  for (const auto& [name, kernel] : found->kernels) {
    if (numKernels-- == 0) break;
    *kernels++ = kernel;
  }
  return CUDA_SUCCESS;
}

CUresult LibraryGetModule(Context& context, CUmodule* pMod, CUlibrary library) {
  const auto found = modules::find_library(library);
  return found ? modules::module_in(*found, context.device, context.handle(), *pMod) : CUDA_ERROR_INVALID_HANDLE;
}

namespace {

CUresult global_of(Context& context, CUdeviceptr* dptr, std::size_t* bytes, CUlibrary library, const char* name,
                   bool managed) {
  CUmodule module = nullptr;
  if (const auto result = LibraryGetModule(context, &module, library); result != CUDA_SUCCESS) return result;
  const auto loaded = modules::find(module);
  return loaded ? modules::variable(*loaded, name, dptr, bytes, managed) : CUDA_ERROR_INVALID_HANDLE;
}

}  // namespace

CUresult LibraryGetGlobal(Context& context, CUdeviceptr* dptr, std::size_t* bytes, CUlibrary library,
                          const char* name) {
  return global_of(context, dptr, bytes, library, name, false);
}

CUresult LibraryGetManaged(Context& context, CUdeviceptr* dptr, std::size_t* bytes, CUlibrary library,
                           const char* name) {
  return global_of(context, dptr, bytes, library, name, true);
}

CUresult LibraryGetUnifiedFunction(Context&, void**, CUlibrary library, const char*) {
  return modules::find_library(library) ? CUDA_ERROR_NOT_FOUND : CUDA_ERROR_INVALID_HANDLE;
}

}  // namespace nvmlkit::cuda::functions
