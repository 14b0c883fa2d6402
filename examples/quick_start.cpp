// The quick start of the README: the UUID of each GPU, or what went wrong.
#include <cstdio>
#include <cstdlib>
#include <nvmlkit/nvml.hpp>

int main() try {
  const auto library = nvmlkit::nvml::Library::open().value();
  for (const auto& device : library.devices().value()) std::puts(device.value().uuid().value().c_str());
} catch (const nvmlkit::nvml::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return EXIT_FAILURE;
}
