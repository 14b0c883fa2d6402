#include "libraries/cublas/functions/emulation.hpp"

#include "libraries/cublas/functions/helpers.hpp"

namespace nvmlkit::cublas::functions {
namespace {

template <class T>
cublasStatus_t keep(T& member, T value, bool is_right) {
  if (!is_right) return CUBLAS_STATUS_INVALID_VALUE;
  member = value;
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

cublasStatus_t get_strategy(const Call& call, cublasEmulationStrategy_t* strategy) {
  return tell(strategy, call.handle.emulation.strategy);
}
cublasStatus_t set_strategy(const Call& call, cublasEmulationStrategy_t strategy) {
  return keep(call.handle.emulation.strategy, strategy, strategy <= CUBLAS_EMULATION_STRATEGY_EAGER);
}

cublasStatus_t get_special_values(const Call& call, cudaEmulationSpecialValuesSupport* mask) {
  return tell(mask, call.handle.emulation.special_values);
}
cublasStatus_t set_special_values(const Call& call, cudaEmulationSpecialValuesSupport mask) {
  return keep(call.handle.emulation.special_values, mask, mask <= CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_DEFAULT);
}

cublasStatus_t get_mantissa_control(const Call& call, cudaEmulationMantissaControl* control) {
  return tell(control, call.handle.emulation.control);
}
cublasStatus_t set_mantissa_control(const Call& call, cudaEmulationMantissaControl control) {
  return keep(call.handle.emulation.control, control, control <= CUDA_EMULATION_MANTISSA_CONTROL_FIXED);
}

cublasStatus_t get_most_mantissa_bits(const Call& call, int* count) {
  return tell(count, call.handle.emulation.most_bits);
}
cublasStatus_t set_most_mantissa_bits(const Call& call, int count) {
  return keep(call.handle.emulation.most_bits, count, count >= 0);
}

cublasStatus_t get_mantissa_offset(const Call& call, int* offset) { return tell(offset, call.handle.emulation.offset); }
cublasStatus_t set_mantissa_offset(const Call& call, int offset) {
  return keep(call.handle.emulation.offset, offset, true);
}

cublasStatus_t get_mantissa_bits(const Call& call, int** count) { return tell(count, call.handle.emulation.bits); }
cublasStatus_t set_mantissa_bits(const Call& call, int* count) { return keep(call.handle.emulation.bits, count, true); }

}  // namespace nvmlkit::cublas::functions
