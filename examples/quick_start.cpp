// The quick start of the README.
#include <cstdio>
#include <nvmlkit/nvml.hpp>

int main() {
  const auto library = nvmlkit::nvml::Library::open();
  if (!library) return std::puts(library.error().message().c_str());
  for (const auto& device : library->devices().value())
    if (device) std::puts(device->uuid().value().c_str());
}
