// Tables of a distribution in memory of the device, from which curand_discrete() of a kernel draws.
#pragma once

#include "libraries/curand/call.hpp"

namespace nvmlkit::curand::functions {

curandStatus_t create_poisson(double lambda, void** out);
curandStatus_t destroy_table(void* table);

}  // namespace nvmlkit::curand::functions
