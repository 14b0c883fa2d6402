// Generators: made, set, destroyed; versions; vectors of Sobol's sequence.
#pragma once

#include "libraries/curand/call.hpp"

namespace nvmlkit::curand::functions {

curandStatus_t create(Generator** out, curandRngType_t type);
curandStatus_t create_host(Generator** out, curandRngType_t type);
curandStatus_t destroy(const Call& call);
curandStatus_t get_version(int* version);
curandStatus_t get_property(libraryPropertyType type, int* value);
curandStatus_t set_stream(const Call& call, CUstream stream);
curandStatus_t set_seed(const Call& call, unsigned long long seed);
curandStatus_t set_offset(const Call& call, unsigned long long offset);
curandStatus_t set_order(const Call& call, curandOrdering_t order);
curandStatus_t set_dimensions(const Call& call, unsigned int dimensions);
curandStatus_t make_seeds(const Call& call);

curandStatus_t get_directions_32(DirectionVectors32** out, curandDirectionVectorSet_t set);
curandStatus_t get_directions_64(DirectionVectors64** out, curandDirectionVectorSet_t set);
curandStatus_t get_constants_32(unsigned int** out);
curandStatus_t get_constants_64(unsigned long long** out);

}  // namespace nvmlkit::curand::functions
