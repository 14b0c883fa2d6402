// Loads a library by its path, asks what it has, and calls a function that may not be there.
//   dynamic_loading [PATH [SYMBOL]...]
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <nvmlkit/nvml.hpp>

namespace nvml = nvmlkit::nvml;

namespace {

bool has(const nvml::Table& table, const nvml::Symbol& symbol) {
  void* pointer = nullptr;
  std::memcpy(&pointer, reinterpret_cast<const char*>(&table) + symbol.offset, sizeof pointer);
  return pointer != nullptr;
}

int report(const nvml::Failure& failure) {
  std::fprintf(stderr, "%s\n", failure.message().c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  nvml::OpenOptions options;
  if (argc > 1) options.load.path = argv[1];
  const auto library = nvml::Library::open(options);
  if (!library) return report(library.error());

  const auto symbols = nvml::symbols();
  const auto there =
      std::count_if(symbols.begin(), symbols.end(), [&](const auto& symbol) { return has(library->table(), symbol); });
  std::printf("%s has %td of %zu symbols\n", library->path().c_str(), there, symbols.size());

  for (int i = 2; i < argc; ++i) {
    const nvml::Symbol* symbol = nvml::find_symbol(argv[i]);
    if (!symbol)
      std::printf("%s: no such function in any header\n", argv[i]);
    else
      std::printf("%s: %s (since %s)\n", argv[i], has(library->table(), *symbol) ? "there" : "missing", symbol->since);
  }

  // Calling what is missing is an error like any other.
  nvmlkit::abi::nvmlSystemDriverBranchInfo_t branch{};
  branch.version = nvmlkit::abi::version_tag<nvmlkit::abi::nvmlSystemDriverBranchInfo_t>;
  constexpr unsigned int kLength = nvmlkit::abi::SYSTEM_DRIVER_VERSION_BUFFER_SIZE;
  const auto asked = library->call(&nvml::Table::SystemGetDriverBranch, &branch, kLength);
  std::printf("driver branch: %s\n", asked ? branch.branch : asked.error().message().c_str());
  return 0;
}
