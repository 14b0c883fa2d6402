#include "driver/trace/next_library.hpp"

#include <dlfcn.h>
#include <sys/stat.h>

#include <cstdlib>
#include <string_view>
#include <vector>

namespace nvmlkit::trace {
namespace {

constexpr const char* kName = "/libnvidia-ml.so.1";
constexpr const char* kFolders =
#if defined(__x86_64__)
    "/usr/lib/x86_64-linux-gnu:"
#elif defined(__aarch64__)
    "/usr/lib/aarch64-linux-gnu:"
#endif
    "/lib64:/usr/lib64:/lib:/usr/lib:/usr/lib/wsl/lib";

// A place in this library, for dladdr.
const char here = 0;

struct stat own_file() {
  struct stat out {};
  Dl_info info{};
  if (dladdr(&here, &info) == 0 || !info.dli_fname || stat(info.dli_fname, &out) != 0) out = {};
  return out;
}

void add_folders(std::string_view list, std::vector<std::string>& out) {
  while (!list.empty()) {
    const auto end = list.find(':');
    if (const auto folder = list.substr(0, end); !folder.empty()) out.emplace_back(folder);
    list = end == std::string_view::npos ? std::string_view() : list.substr(end + 1);
  }
}

std::string find_next() {
  const struct stat own = own_file();
  std::vector<std::string> folders;
  if (const char* list = secure_getenv("LD_LIBRARY_PATH")) add_folders(list, folders);
  add_folders(kFolders, folders);
  for (const std::string& folder : folders) {
    const std::string path = folder + kName;
    struct stat file {};
    if (stat(path.c_str(), &file) == 0 && (file.st_dev != own.st_dev || file.st_ino != own.st_ino)) return path;
  }
  return {};
}

}  // namespace

NextLibrary open_next_library(const std::string& path) {
  NextLibrary out;
  const std::string found = path.empty() ? find_next() : path;
  if (found.empty()) {
    out.problem =
        "no libnvidia-ml.so.1 in LD_LIBRARY_PATH and the system's folders; name one with NVMLKIT_TRACE_LIBRARY";
    return out;
  }
  int flags = RTLD_LAZY | RTLD_LOCAL;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  flags |= RTLD_DEEPBIND;  // its calls of its own functions do not come back to this library
#endif
  void* handle = dlopen(found.c_str(), flags);
  if (!handle) {
    const char* reason = dlerror();
    out.problem = reason ? reason : found + " cannot be loaded";
    return out;
  }
  if (!dlsym(handle, "nvmlInit_v2")) {
    out.problem = found + " exports no NVML function";
    return out;
  }
  nvml::fill(out.table, [handle](const char* name) { return dlsym(handle, name); });
  out.path = found;
  return out;
}

}  // namespace nvmlkit::trace
