// How products may be emulated, as a handle keeps it.
#pragma once

#include "libraries/cublas/call.hpp"

namespace nvmlkit::cublas::functions {

cublasStatus_t get_strategy(const Call& call, cublasEmulationStrategy_t* strategy);
cublasStatus_t set_strategy(const Call& call, cublasEmulationStrategy_t strategy);
cublasStatus_t get_special_values(const Call& call, cudaEmulationSpecialValuesSupport* mask);
cublasStatus_t set_special_values(const Call& call, cudaEmulationSpecialValuesSupport mask);
cublasStatus_t get_mantissa_control(const Call& call, cudaEmulationMantissaControl* control);
cublasStatus_t set_mantissa_control(const Call& call, cudaEmulationMantissaControl control);
cublasStatus_t get_most_mantissa_bits(const Call& call, int* count);
cublasStatus_t set_most_mantissa_bits(const Call& call, int count);
cublasStatus_t get_mantissa_offset(const Call& call, int* offset);
cublasStatus_t set_mantissa_offset(const Call& call, int offset);
cublasStatus_t get_mantissa_bits(const Call& call, int** count);
cublasStatus_t set_mantissa_bits(const Call& call, int* count);

}  // namespace nvmlkit::cublas::functions
