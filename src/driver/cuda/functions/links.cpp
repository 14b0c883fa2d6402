// Modules linked from pieces of code.
#include "driver/cuda/code/links.hpp"

#include "driver/cuda/call.hpp"
#include "driver/cuda/generated/functions.hpp"

namespace nvmlkit::cuda::functions {
namespace {

std::span<const std::byte> bytes_of(const void* data, std::size_t size) {
  return {static_cast<const std::byte*>(data), size};
}

}  // namespace

CUresult LinkCreate_v2(Context& context, unsigned int numOptions, CUjit_option* options, void** optionValues,
                       CUlinkState* stateOut) {
  if (numOptions > CU_JIT_NUM_OPTIONS) return CUDA_ERROR_INVALID_VALUE;
  const JitLogs logs(numOptions, options, optionValues);
  *stateOut = links::add(std::make_shared<Link>(modules::capability_of(context.device), logs));
  return CUDA_SUCCESS;
}

CUresult LinkCreate(Context& context, unsigned int numOptions, CUjit_option* options, void** optionValues,
                    CUlinkState* stateOut) {
  return LinkCreate_v2(context, numOptions, options, optionValues, stateOut);
}

CUresult LinkAddData_v2(CUlinkState state, CUjitInputType type, void* data, std::size_t size, const char* name,
                        unsigned int, CUjit_option*, void**) {
  const auto link = links::find(state);
  if (!link) return CUDA_ERROR_INVALID_HANDLE;
  return modules::tell(links::take(*link, type, bytes_of(data, size), name ? name : "an input of a link"));
}

CUresult LinkAddData(CUlinkState state, CUjitInputType type, void* data, std::size_t size, const char* name,
                     unsigned int numOptions, CUjit_option* options, void** optionValues) {
  return LinkAddData_v2(state, type, data, size, name, numOptions, options, optionValues);
}

CUresult LinkAddFile_v2(CUlinkState state, CUjitInputType type, const char* path, unsigned int, CUjit_option*, void**) {
  const auto link = links::find(state);
  if (!link) return CUDA_ERROR_INVALID_HANDLE;
  std::string bytes;
  auto refusal = modules::bytes_of_file(path, bytes);
  if (refusal.result == CUDA_SUCCESS) refusal = links::take(*link, type, bytes_of(bytes.data(), bytes.size()), path);
  return modules::tell(refusal);
}

CUresult LinkAddFile(CUlinkState state, CUjitInputType type, const char* path, unsigned int numOptions,
                     CUjit_option* options, void** optionValues) {
  return LinkAddFile_v2(state, type, path, numOptions, options, optionValues);
}

CUresult LinkComplete(CUlinkState state, void** cubinOut, std::size_t* sizeOut) {
  const auto link = links::find(state);
  if (!link) return CUDA_ERROR_INVALID_HANDLE;
  const auto refusal = links::complete(*link);
  if (refusal.result == CUDA_SUCCESS) {
    *cubinOut = link->image.data();
    if (sizeOut) *sizeOut = link->image.size();
  }
  return modules::tell(refusal);
}

CUresult LinkDestroy(CUlinkState state) { return links::end(state) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE; }

}  // namespace nvmlkit::cuda::functions
