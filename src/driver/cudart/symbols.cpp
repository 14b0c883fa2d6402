// Variables of modules, by their host symbols.
#include "driver/cudart/directions.hpp"
#include "driver/cudart/runtime.hpp"

namespace nvmlkit::cudart {
namespace {

// `to_symbol`: the variable is the target.
Error copy_symbol(const void* symbol, const void* other, std::size_t size, std::size_t offset, int kind, bool to_symbol,
                  CUstream stream = nullptr, bool in_stream = false) {
  if (!is_direction(kind)) return keep(kInvalidDirection);
  return with_context([&]() -> CUresult {
    CUdeviceptr address = 0;
    std::size_t room = 0;
    if (const auto result = variable_of(symbol, &address, &room); result != CUDA_SUCCESS) return result;
    if (offset > room || size > room - offset) return CUDA_ERROR_INVALID_VALUE;
    if (size == 0) return nothing_in(in_stream ? &stream : nullptr);
    const auto to = to_symbol ? address + offset : address_of(other);
    const auto from = to_symbol ? address_of(other) : address + offset;
    return in_stream ? cuMemcpyAsync(to, from, size, stream) : NVMLKIT_BY_DEFAULT(cuMemcpy)(to, from, size);
  });
}

}  // namespace

NVMLKIT_RUNTIME Error cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t size, std::size_t offset,
                                         int kind) {
  return copy_symbol(symbol, from, size, offset, kind, true);
}
NVMLKIT_RUNTIME Error cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t size, std::size_t offset,
                                           int kind) {
  return copy_symbol(symbol, to, size, offset, kind, false);
}
NVMLKIT_RUNTIME Error cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t size,
                                              std::size_t offset, int kind, CUstream stream) {
  return copy_symbol(symbol, from, size, offset, kind, true, stream, true);
}
NVMLKIT_RUNTIME Error cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t size, std::size_t offset,
                                                int kind, CUstream stream) {
  return copy_symbol(symbol, to, size, offset, kind, false, stream, true);
}
NVMLKIT_RUNTIME Error cudaGetSymbolAddress(void** out, const void* symbol) {
  if (!out) return keep(kInvalidValue);
  return with_context([&] { return variable_of(symbol, reinterpret_cast<CUdeviceptr*>(out), nullptr); });
}
NVMLKIT_RUNTIME Error cudaGetSymbolSize(std::size_t* size, const void* symbol) {
  if (!size) return keep(kInvalidValue);
  return with_context([&] { return variable_of(symbol, nullptr, size); });
}

}  // namespace nvmlkit::cudart
