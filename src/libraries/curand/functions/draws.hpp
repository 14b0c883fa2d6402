// Numbers of a generator, in the stream of one of the device, at once for one of the host.
#pragma once

#include "libraries/curand/call.hpp"

namespace nvmlkit::curand::functions {

curandStatus_t integers(const Call& call, unsigned int* out, std::size_t count);
curandStatus_t long_integers(const Call& call, unsigned long long* out, std::size_t count);
curandStatus_t uniform(const Call& call, float* out, std::size_t count);
curandStatus_t uniform(const Call& call, double* out, std::size_t count);
curandStatus_t normal(const Call& call, float* out, std::size_t count, float mean, float deviation);
curandStatus_t normal(const Call& call, double* out, std::size_t count, double mean, double deviation);
curandStatus_t lognormal(const Call& call, float* out, std::size_t count, float mean, float deviation);
curandStatus_t lognormal(const Call& call, double* out, std::size_t count, double mean, double deviation);
curandStatus_t poisson(const Call& call, unsigned int* out, std::size_t count, double lambda);
curandStatus_t poisson_by(const Call& call, unsigned int* out, std::size_t count, double lambda, curandMethod_t method);

}  // namespace nvmlkit::curand::functions
