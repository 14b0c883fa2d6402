// A driver that answers with the bytes of the fuzzer: no decoder of the bindings reads or writes outside what it owns.
#include <cstddef>
#include <cstdint>

#include "../nvml/garbage_driver.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  nvmlkit::nvml::test::read_everything({data, size});
  return 0;
}
