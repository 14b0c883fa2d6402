#include "cli/root_files.hpp"

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/command_error.hpp"
#include "cli/launch.hpp"

namespace nvmlkit::cli {
namespace fs = std::filesystem;
namespace {

// Of the option, of PATH, or the one that the folder has already.
std::optional<fs::path> find_nvidia_smi(const std::string& named, const fs::path& folder) {
  std::error_code error;
  if (!named.empty()) {
    auto path = fs::canonical(named, error);
    if (error || !fs::is_regular_file(path)) throw CommandError(sim::unusable_file(named, "is no nvidia-smi"));
    return path;
  }
  const char* const search = std::getenv("PATH");
  std::string_view rest = search ? search : "";
  while (!rest.empty()) {
    const auto end = std::min(rest.find(':'), rest.size());
    const auto path = fs::canonical(fs::path(rest.substr(0, end)) / "nvidia-smi", error);
    if (!error && access(path.c_str(), X_OK) == 0) return path;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (auto path = fs::canonical(folder / kSmiInRoot, error); !error && fs::is_regular_file(path)) return path;
  return std::nullopt;
}

// The runtime starts the hook in the folder. Nodes of kind mount /run so that no program starts there.
void check_that_hook_starts(const fs::path& folder) {
  auto place = folder;
  std::error_code error;
  while (!fs::exists(place, error) && place.has_relative_path()) place = place.parent_path();
  struct statvfs found {};
  if (statvfs(place.c_str(), &found) == 0 && (found.f_flag & ST_NOEXEC) != 0)
    throw CommandError(
        {.kind = sim::ProblemKind::unusable_file,
         .what = "is mounted noexec, so that no container could start the hook of --cdi-hook",
         .hint = "mount it with exec (`mount -o remount,exec /run` on a node of kind), or name another folder",
         .place = {.file = folder.string()}});
}

}  // namespace

// The other libraries lie beside the NVML of this project, or above the one of a branch.
RootFiles find_root_files(const RootOptions& options, const fs::path& folder) {
  const auto driver = own_driver();
  RootFiles files{fs::canonical(driver / "libnvidia-ml.so.1"), {}, {}, {}, {}, {}, {}, {}, {}};
  for (const auto& place : {driver, driver.parent_path().parent_path()})
    for (const auto& [file, name] : {std::pair{&files.cuda, "libcuda.so.1"},
                                     {&files.nscq, "libnvidia-nscq.so.2"},
                                     {&files.hook, "nvmlkit-cdi-hook"},
                                     {&files.mps_control, "nvidia-cuda-mps-control"},
                                     {&files.mps_server, "nvidia-cuda-mps-server"},
                                     {&files.imex, "nvidia-imex"},
                                     {&files.imex_control, "nvidia-imex-ctl"}})
      if (std::error_code error; !*file && fs::exists(place / name, error)) *file = fs::canonical(place / name);
  if (options.cdi_hook && !files.hook)
    throw CommandError(sim::missing("nvmlkit-cdi-hook beside libnvidia-ml.so.1, for --cdi-hook"), kFailed);
  if (options.cdi_hook) check_that_hook_starts(folder);
  files.nvidia_smi = find_nvidia_smi(options.nvidia_smi, folder);
  return files;
}

}  // namespace nvmlkit::cli
