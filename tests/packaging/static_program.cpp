// A fully static program: opening fails with the reason, and a table of its own works.
#include <cstdio>
#include <nvmlkit/nvml.hpp>

using namespace nvmlkit;

int main(int count, char** arguments) {
  const auto library = nvml::Library::open({.load = {.path = count > 1 ? arguments[1] : ""}});
  if (library) return std::puts("opened"), 1;
  std::puts(library.error().message().c_str());
  if (library.error().code() != nvml::Errc::library_not_found) return 2;
  nvml::Table table;
  table.Init_v2 = [] { return abi::NVML_SUCCESS; };
  table.Shutdown = [] { return abi::NVML_SUCCESS; };
  return nvml::Library::from_table(table) ? 0 : 3;
}
