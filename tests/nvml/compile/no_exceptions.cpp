// Built with -fno-exceptions -fno-rtti: the headers and the fallible style need neither.
#include <cstdio>
#include <nvmlkit/nvml.hpp>

int main() {
  const auto library = nvmlkit::nvml::Library::from_table({});
  if (library) return 1;
  std::puts(library.error().message().c_str());
  return library.error().code() == nvmlkit::nvml::Errc::function_not_found ? 0 : 1;
}
