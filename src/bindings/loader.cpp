#include <nvmlkit/loader.hpp>

#include "platform/platform.hpp"

namespace nvmlkit::nvml {

std::vector<std::string> library_candidates(const LoadOptions& options) {
  if (!options.path.empty()) return {options.path};
  if (std::string path = platform::environment("NVMLKIT_NVML_LIBRARY"); !path.empty()) return {std::move(path)};
  return platform::default_library_names();
}

Result<LoadedLibrary> load(const LoadOptions& options) {
  std::string tried;
  for (const std::string& path : library_candidates(options)) {
    std::string reason;
    void* handle = platform::dl_open(path, reason);
    if (!handle) {
      tried += "\n  " + path + ": " + reason;
      continue;
    }
    LoadedLibrary library;
    library.path = path;
    library.handle = handle;
    if (fill(library.table, [&](const char* name) { return platform::dl_symbol(handle, name); }) > 0) return library;
    tried += "\n  " + path + ": exports no NVML function";
    platform::dl_close(handle);
  }
  return Failure(Errc::library_not_found, nullptr, "tried" + tried);
}

void unload(LoadedLibrary& library) noexcept {
  if (library.handle) platform::dl_close(library.handle);
  library = LoadedLibrary{};
}

}  // namespace nvmlkit::nvml
