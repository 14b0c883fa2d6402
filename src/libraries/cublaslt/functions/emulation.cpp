#include "libraries/cublaslt/functions/emulation.hpp"

#include "libraries/cublaslt/functions/attributes.hpp"

namespace nvmlkit::cublaslt::functions {
namespace {

Member find(EmulationDescription& d, cublasLtEmulationDescAttributes_t which) {
  switch (which) {
    case CUBLASLT_EMULATION_DESC_STRATEGY:
      return member(d.strategy);
    case CUBLASLT_EMULATION_DESC_SPECIAL_VALUES_SUPPORT:
      return member(d.special_values);
    case CUBLASLT_EMULATION_DESC_FIXEDPOINT_MANTISSA_CONTROL:
      return member(d.control);
    case CUBLASLT_EMULATION_DESC_FIXEDPOINT_MAX_MANTISSA_BIT_COUNT:
      return member(d.most_bits);
    case CUBLASLT_EMULATION_DESC_FIXEDPOINT_MANTISSA_BIT_OFFSET:
      return member(d.offset);
    case CUBLASLT_EMULATION_DESC_FIXEDPOINT_MANTISSA_BIT_COUNT_POINTER:
      return member(d.bits);
  }
  return {};
}

}  // namespace

cublasStatus_t create_emulation(EmulationDescription** out) { return make(out, EmulationDescription{}); }
cublasStatus_t init_emulation(EmulationDescription* out, std::size_t size) {
  return init(out, size, EmulationDescription{});
}
cublasStatus_t destroy_emulation(EmulationDescription* description) { return unmake(description); }
cublasStatus_t set_emulation_attribute(EmulationDescription* d, cublasLtEmulationDescAttributes_t which,
                                       const void* value, std::size_t size) {
  return set_member(d ? find(*d, which) : Member{}, value, size);
}
cublasStatus_t get_emulation_attribute(EmulationDescription* d, cublasLtEmulationDescAttributes_t which, void* value,
                                       std::size_t size, std::size_t* written) {
  return get_member(d ? find(*d, which) : Member{}, value, size, written);
}

}  // namespace nvmlkit::cublaslt::functions
