// consumer [LIBRARY GPUS]: an error is caught as an exception; with a library, its GPUs are counted.
#include <cstdio>
#include <cstdlib>
#include <nvmlkit/nvml.hpp>

using namespace nvmlkit::nvml;

#ifdef EXPECT_STD_EXPECTED
static_assert(NVMLKIT_STD_EXPECTED);
#endif

namespace {

// Thrown by the library, caught here: the two must share the type also across a shared library.
bool catches_errors() {
  try {
    static_cast<void>(Library::from_table({}).value());
  } catch (const Error& error) {
    return error.code() == Errc::function_not_found && error.code().category() == nvml_category();
  }
  return false;
}

}  // namespace

int main(int count, char** arguments) {
  if (!catches_errors()) return 1;
  if (count < 3) return 0;
  const auto library = Library::open({.load = {.path = arguments[1]}});
  if (!library) return std::puts(library.error().message().c_str()), 2;
  const auto gpus = library->device_count().value();
  std::printf("%u GPUs, the first is %s\n", gpus, library->device(0).value().name().value().c_str());
  return gpus == static_cast<unsigned int>(std::atoi(arguments[2])) ? 0 : 3;
}
