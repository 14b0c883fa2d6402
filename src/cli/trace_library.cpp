#include "cli/trace_library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <nvmlkit/loader.hpp>

#include "cli/command_error.hpp"
#include "cli/launch.hpp"
#include "cli/library.hpp"

namespace nvmlkit::cli {
namespace fs = std::filesystem;

fs::path trace_directory() {
  const auto driver = own_driver();
  // Beside the library of a branch: beside that of all branches.
  for (const auto& place : {driver / "trace", driver.parent_path().parent_path() / "trace"})
    if (std::error_code error; fs::exists(place / "libnvidia-ml.so.1", error)) return place;
  throw CommandError(sim::missing("trace/libnvidia-ml.so.1 beside libnvidia-ml.so.1"), kFailed);
}

std::string found_library() {
  const auto loaded = nvml::load();
  if (!loaded) throw CommandError(no_library(loaded.error()), kFailed);
  const link_map* map = nullptr;
  if (dlinfo(loaded->handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr || map->l_name[0] == '\0')
    return loaded->path;
  std::error_code error;
  const auto path = fs::absolute(map->l_name, error);
  return error ? map->l_name : path.string();
}

}  // namespace nvmlkit::cli
