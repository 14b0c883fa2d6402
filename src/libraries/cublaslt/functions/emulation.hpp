// Descriptions of how products of floats and doubles are emulated, by narrower types.
#pragma once

#include "libraries/cublaslt/call.hpp"

namespace nvmlkit::cublaslt::functions {

cublasStatus_t create_emulation(EmulationDescription** out);
cublasStatus_t init_emulation(EmulationDescription* out, std::size_t size);
cublasStatus_t destroy_emulation(EmulationDescription* description);
cublasStatus_t set_emulation_attribute(EmulationDescription* description, cublasLtEmulationDescAttributes_t which,
                                       const void* value, std::size_t size);
cublasStatus_t get_emulation_attribute(EmulationDescription* description, cublasLtEmulationDescAttributes_t which,
                                       void* value, std::size_t size, std::size_t* written);

}  // namespace nvmlkit::cublaslt::functions
