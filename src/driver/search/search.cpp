#include "driver/search/search.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "driver/search/mark.hpp"
#include "sim/config/choice.hpp"
#include "sim/state/file.hpp"

namespace nvmlkit::driver::search {
namespace fs = std::filesystem;
namespace {

constexpr const char* kState = "/run/nvmlkit/state";
constexpr const char* kMountedByNvidia[] = {"/run/nvidia-persistenced/socket", "/var/run/nvidia-persistenced/socket"};
constexpr const char* kNodes = "/dev";
constexpr const char* kControlNode = "/nvidiactl";

// The path of the library that this function is in.
std::string own_path() {
  Dl_info about{};
  if (dladdr(reinterpret_cast<const void*>(&own_path), &about) == 0 || about.dli_fname == nullptr) return {};
  const std::unique_ptr<char, decltype(&std::free)> resolved(realpath(about.dli_fname, nullptr), &std::free);
  return resolved ? resolved.get() : about.dli_fname;
}

struct Look {
  bool found = false;
  std::string why_not{};  // empty: there is nothing
};

bool is_closed(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (fd < 0) return errno == EACCES || errno == EPERM;
  close(fd);
  return false;
}

// A regular file that may not be read is found, and refused when it is opened. The daemon of NVIDIA has a socket at its
// path.
Look look_at(const std::string& path) {
  Look look;
  struct stat file {};
  if (stat(path.c_str(), &file) != 0) {
    if (errno != ENOENT && errno != ENOTDIR)
      look.why_not = "cannot be reached: " + std::generic_category().message(errno);
    return look;
  }
  if (!S_ISREG(file.st_mode))
    look.why_not = S_ISSOCK(file.st_mode) ? "is a socket" : "is no file";
  else if (file.st_size == 0)
    look.why_not = "is empty";
  else if (sim::state::is_state_file(path) || is_closed(path))
    look.found = true;
  else
    look.why_not = "is no state file of nvmlkit";
  return look;
}

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

// The control node alone is no GPU: NVIDIA's own library makes it on hosts without a driver.
bool has_gpu(const std::string& nodes) {
  constexpr std::string_view kGpu = "nvidia";
  std::error_code error;
  for (auto at = fs::directory_iterator(nodes, error); !error && at != fs::directory_iterator(); at.increment(error)) {
    const auto name = at->path().filename().string();
    if (name.size() > kGpu.size() && name.starts_with(kGpu) && std::isdigit(name[kGpu.size()]) != 0) return true;
  }
  return false;
}

Found found_at(std::string path, const std::string& top, const std::string& nodes_beside) {
  Found found{std::move(path), top + kNodes};
  if (!nodes_beside.empty() && exists(nodes_beside + kControlNode) && !has_gpu(found.device_nodes))
    found.device_nodes = nodes_beside;
  return found;
}

sim::Problem no_state(const std::string& library, const std::string& places) {
  sim::Problem problem{.kind = sim::ProblemKind::missing};
  problem.what = "this library of a driver root finds no state of a machine: " + places;
  problem.hint = "mount run/nvmlkit/state of the root at /run/nvmlkit/state, or set NVMLKIT_STATE";
  return std::move(problem).at({library, 0, 0});
}

}  // namespace

std::optional<std::string_view> root_of(std::string_view library) {
  // Below usr first: a root may itself lie in a folder of that name, as /var/lib/gpus.
  std::optional<std::string_view> below_usr, other;
  std::string_view before;
  for (std::size_t at = 0; at < library.size() && library[at] == '/';) {
    const auto end = std::min(library.find('/', at + 1), library.size());
    const auto name = library.substr(at + 1, end - at - 1);
    const bool is_folder = end < library.size();
    if (is_folder && (name == "lib" || name == "lib64")) {
      other = library.substr(0, at);
      if (before == "usr") below_usr = library.substr(0, at - before.size() - 1);
    }
    before = name;
    at = end;
  }
  return below_usr ? below_usr : other;
}

namespace {

using Search = sim::Expected<std::optional<Found>>;

Search search_in(const View& view) {
  std::string places;
  const auto look = [&](const std::string& path, const std::string& nodes_beside) -> std::optional<Found> {
    const auto seen = look_at(path);
    if (seen.found) return found_at(path, view.top, nodes_beside);
    places += (places.empty() ? "" : ", ") + path + " " + (seen.why_not.empty() ? "is missing" : seen.why_not);
    return std::nullopt;
  };
  const auto root = root_of(view.library);
  if (root && *root != view.top)
    if (auto found = look(std::string(*root) + kState, std::string(*root) + kNodes)) return found;
  if (auto found = look(view.top + kState, {})) return found;
  for (const char* mounted : kMountedByNvidia)
    if (auto found = look(view.top + mounted, {})) return found;
  if (!view.of_root) return std::nullopt;
  return sim::fail(no_state(view.library, places));
}

}  // namespace

Search find_state(const sim::Environment& environment, const View& view) noexcept try {
  if (sim::config::names_machine(environment)) return std::nullopt;
  return search_in(view);
} catch (...) {  // nothing else is thrown in here
  return sim::fail({.kind = sim::ProblemKind::out_of_memory});
}

Search find_state(const sim::Environment& environment) noexcept try {
  if (sim::config::names_machine(environment)) return std::nullopt;
  return search_in({own_path(), is_marked(), {}});
} catch (...) {
  return sim::fail({.kind = sim::ProblemKind::out_of_memory});
}

}  // namespace nvmlkit::driver::search
