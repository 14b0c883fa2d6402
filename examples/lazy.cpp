// Touches NVML only when it is asked to: `lazy` runs on a machine without a driver, `lazy count` needs one.
#include <cstdio>
#include <cstring>
#include <nvmlkit/nvml.hpp>

int main(int argc, char** argv) {
  if (argc < 2) {
    std::puts("hello");
    return 0;
  }
  if (argc > 2 || std::strcmp(argv[1], "count") != 0) {
    std::fprintf(stderr, "usage: lazy [count]\n");
    return 2;
  }
  const auto count =
      nvmlkit::nvml::Library::open().and_then([](const auto& library) { return library.device_count(); });
  if (!count) {
    std::fprintf(stderr, "%s\n", count.error().message().c_str());
    return 1;
  }
  std::printf("%u\n", *count);
  return 0;
}
