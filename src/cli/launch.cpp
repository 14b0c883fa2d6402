#include "cli/launch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "sim/driver_branch.hpp"

namespace nvmlkit::cli {
namespace fs = std::filesystem;

std::optional<fs::path> driver_directory() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  // Installed, then in a build folder. In this order: the lib of a system prefix may hold NVIDIA's own library.
  for (const fs::path& candidate : {self.parent_path() / NVMLKIT_DRIVER_DIR, self.parent_path() / "../lib"}) {
    if (!fs::exists(candidate / "libnvidia-ml.so.1", error)) continue;
    if (const char* driver = std::getenv("NVMLKIT_DRIVER")) {
      const fs::path branch = candidate / "impersonate" / std::to_string(sim::branch_number(driver));
      if (fs::exists(branch / "libnvidia-ml.so.1", error)) return fs::weakly_canonical(branch, error);
    }
    return fs::weakly_canonical(candidate, error);
  }
  return std::nullopt;
}

int launch(const fs::path& driver, std::vector<std::string> command) {
  std::string search_path = driver.string();
  // An empty entry would mean the current folder.
  if (const char* inherited = std::getenv("LD_LIBRARY_PATH"); inherited != nullptr && *inherited != '\0') {
    search_path += fmt::format(":{}", inherited);
  }
  setenv("LD_LIBRARY_PATH", search_path.c_str(), 1);

  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  std::fflush(nullptr);
  execvp(arguments[0], arguments.data());
  const int reason = errno;
  fmt::print(stderr, "nvmlkit: cannot run '{}': {}\n", command[0],
             reason == ENOENT ? "no such program" : std::strerror(reason));
  return reason == ENOENT ? 127 : 126;
}

}  // namespace nvmlkit::cli
