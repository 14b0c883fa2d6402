#include "libraries/nvjitlink/linker.hpp"

#include <dlfcn.h>

namespace nvmlkit::nvjitlink {
namespace {

struct Functions {
  decltype(&cuda::cuLinkCreate_v2) create = nullptr;
  decltype(&cuda::cuLinkAddData_v2) add = nullptr;
  decltype(&cuda::cuLinkComplete) complete = nullptr;
  decltype(&cuda::cuLinkDestroy) destroy = nullptr;
};

const Functions* linker_functions() {
  static const Functions found = [] {
    Functions out;
    void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return out;
    const auto find = [&](const char* name, auto& function) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    };
    find("cuLinkCreate_v2", out.create);
    find("cuLinkAddData_v2", out.add);
    find("cuLinkComplete", out.complete);
    find("cuLinkDestroy", out.destroy);
    return out;
  }();
  return found.create && found.add && found.complete && found.destroy ? &found : nullptr;
}

nvJitLinkResult status_of(cuda::CUresult result, const Input& input) {
  switch (result) {
    case cuda::CUDA_SUCCESS:
      return NVJITLINK_SUCCESS;
    case cuda::CUDA_ERROR_INVALID_PTX:
      return NVJITLINK_ERROR_PTX_COMPILE;
    case cuda::CUDA_ERROR_NO_BINARY_FOR_GPU:
      return NVJITLINK_ERROR_ARCH_MISMATCH;
    default:
      return input.type == cuda::CU_JIT_INPUT_PTX ? NVJITLINK_ERROR_PTX_COMPILE : NVJITLINK_ERROR_UNRECOGNIZED_INPUT;
  }
}

}  // namespace

nvJitLinkResult link_now(Link& link) {
  const auto* const driver = libraries::driver();
  const auto* const linker = linker_functions();
  if (!driver || !linker || libraries::ensure_context(*driver) != cuda::CUDA_SUCCESS) return NVJITLINK_ERROR_INTERNAL;
  char log[8192] = "";
  cuda::CUjit_option options[] = {cuda::CU_JIT_ERROR_LOG_BUFFER, cuda::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  cuda::CUlinkState state = nullptr;
  if (linker->create(2, options, values, &state) != cuda::CUDA_SUCCESS) return NVJITLINK_ERROR_INTERNAL;
  auto result = NVJITLINK_SUCCESS;
  for (auto& input : link.inputs) {
    result = status_of(
        linker->add(state, input.type, input.bytes.data(), input.bytes.size(), input.name.c_str(), 0, nullptr, nullptr),
        input);
    if (result != NVJITLINK_SUCCESS) break;
  }
  void* image = nullptr;
  std::size_t size = 0;
  if (result == NVJITLINK_SUCCESS) {
    // Text is read when all inputs are there.
    const auto answer = linker->complete(state, &image, &size);
    result = answer == cuda::CUDA_SUCCESS             ? NVJITLINK_SUCCESS
             : answer == cuda::CUDA_ERROR_INVALID_PTX ? NVJITLINK_ERROR_PTX_COMPILE
                                                      : NVJITLINK_ERROR_FINALIZE;
    if (result == NVJITLINK_SUCCESS) link.image.assign(static_cast<const char*>(image), size);
  }
  log[sizeof log - 1] = 0;
  link.errors = log;
  linker->destroy(state);
  return result;
}

}  // namespace nvmlkit::nvjitlink
