#include "cli/node_preload.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <system_error>

#include "cli/command_error.hpp"
#include "cli/launch.hpp"
#include "node/make.hpp"
#include "preload/names.hpp"

namespace nvmlkit::cli {
namespace fs = std::filesystem;
namespace {

constexpr const char* kPreload = "LD_PRELOAD";

bool is_real_folder(const fs::path& path) { return fs::is_directory(fs::symlink_status(path)); }

// Puts a link into `ours` for each file of the host that it lacks, and into the folders of both.
void stand_in(const fs::path& host, const fs::path& ours) {
  for (const auto& entry : fs::directory_iterator(host, fs::directory_options::skip_permission_denied)) {
    const auto own = ours / entry.path().filename();
    if (!fs::exists(fs::symlink_status(own)))
      fs::create_symlink(preload::kHost + entry.path().relative_path().string(), own);
    else if (is_real_folder(own) && is_real_folder(entry.path()))
      stand_in(entry.path(), own);
  }
}

}  // namespace

fs::path node_library() {
  const auto driver = own_driver();
  for (const auto& place : {driver, driver.parent_path().parent_path()})
    if (std::error_code error; fs::exists(place / preload::kLibrary, error)) return place / preload::kLibrary;
  throw CommandError(sim::missing(fmt::format("{} beside libnvidia-ml.so.1", preload::kLibrary)), kFailed);
}

void make_node_view(const root::Tree& files, const fs::path& folder) try {
  node::make(files, folder);
  for (const char* part : {"sys", "dev"})
    if (is_real_folder(folder / part)) stand_in(fs::path("/") / part, folder / part);
  for (const auto& entry : fs::directory_iterator(folder / "proc"))
    if (const auto host = "/proc" / entry.path().filename(); is_real_folder(entry.path()) && is_real_folder(host))
      stand_in(host, entry.path());
} catch (const fs::filesystem_error& error) {
  throw CommandError(sim::unusable_file(error.path1().string(), error.code().message()), kFailed);
}

void show_node_view(const fs::path& library, const fs::path& folder) {
  const char* const others = std::getenv(kPreload);
  const bool some = others != nullptr && *others != '\0';
  setenv(kPreload, (library.string() + (some ? fmt::format(":{}", others) : "")).c_str(), 1);
  setenv(preload::kVariable, folder.c_str(), 1);
}

}  // namespace nvmlkit::cli
