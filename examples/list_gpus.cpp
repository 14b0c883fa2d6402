// Prints the UUID of each GPU, one a line.
#include <cstdio>
#include <nvmlkit/nvml.hpp>

namespace nvml = nvmlkit::nvml;

namespace {

int report(const nvml::Failure& failure) {
  std::fprintf(stderr, "%s\n", failure.message().c_str());
  if (const std::string advice = failure.advice(); !advice.empty()) std::fprintf(stderr, "%s\n", advice.c_str());
  return 1;
}

}  // namespace

int main() {
  const auto library = nvml::Library::open();
  if (!library) return report(library.error());
  const auto devices = library->devices();
  if (!devices) return report(devices.error());

  int status = 0;
  for (const auto& device : *devices) {
    const auto uuid = device.and_then([](const nvml::Device& d) { return d.uuid(); });
    if (uuid)
      std::puts(uuid->c_str());
    else
      status = report(uuid.error());  // the others are still listed
  }
  return status;
}
