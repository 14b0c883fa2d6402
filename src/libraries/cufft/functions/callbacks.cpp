#include "libraries/cufft/functions/callbacks.hpp"

#include <string_view>

namespace nvmlkit::cufft::functions {
namespace {

constexpr std::size_t kMostShared = 16 * 1024;

// A name that a linker may know; it becomes a part of a program.
bool is_symbol(std::string_view name) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_$",
                             kDigits = "0123456789";
  return !name.empty() && kDigits.find(name[0]) == kDigits.npos &&
         name.find_first_not_of(std::string(kLetters) + std::string(kDigits)) == name.npos;
}

}  // namespace

// They are in libcufft_static.a only.
cufftResult set_callback(Handle, void**, cufftXtCallbackType, void**) { return CUFFT_NOT_IMPLEMENTED; }
cufftResult clear_callback(Handle, cufftXtCallbackType) { return CUFFT_NOT_IMPLEMENTED; }

cufftResult set_callback_memory(const Call& call, cufftXtCallbackType type, std::size_t size) {
  if (call.plan.callbacks && size > kMostShared) return CUFFT_ALLOC_FAILED;
  return type < CUFFT_CB_UNDEFINED && call.plan.callbacks.set_shared(type, size) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

cufftResult set_jit_callback(const Call& call, const char* symbol, const void* code, std::size_t size,
                             cufftXtCallbackType type, void** info) {
  if (call.plan.layout()) return CUFFT_INVALID_PLAN;
  if (type >= CUFFT_CB_UNDEFINED) return CUFFT_INVALID_TYPE;
  if (!symbol || !is_symbol(symbol) || !code || size == 0) return CUFFT_INVALID_VALUE;
  if (call.plan.gpus()) return CUFFT_NOT_SUPPORTED;
  call.plan.callbacks.set({.type = type,
                           .symbol = symbol,
                           .lto_ir = std::string(static_cast<const char*>(code), size),
                           .info = info ? *info : nullptr});
  return CUFFT_SUCCESS;
}

}  // namespace nvmlkit::cufft::functions
