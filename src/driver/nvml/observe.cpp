#include "driver/nvml/observe.hpp"

namespace nvmlkit::driver {

abi::nvmlReturn_t detail::observe(Symbol, const void* const*, abi::nvmlReturn_t (*answer)(void*), void* context) {
  return answer(context);
}

}  // namespace nvmlkit::driver
