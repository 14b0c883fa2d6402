#include "libraries/cufft/functions/callbacks.hpp"

namespace nvmlkit::cufft::functions {

// They are in libcufft_static.a only.
cufftResult set_callback(Handle, void**, cufftXtCallbackType, void**) { return CUFFT_NOT_IMPLEMENTED; }
cufftResult clear_callback(Handle, cufftXtCallbackType) { return CUFFT_NOT_IMPLEMENTED; }

// For plans with LTO callbacks.
cufftResult set_callback_memory(const Call&, cufftXtCallbackType, std::size_t) { return CUFFT_INVALID_PLAN; }

}  // namespace nvmlkit::cufft::functions
