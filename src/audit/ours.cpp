#include "audit/ours.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstring>

namespace nvmlkit::audit {
namespace {

bool starts_with(const char* text, const char* begin) { return std::strncmp(text, begin, std::strlen(begin)) == 0; }

// The libraries of NVIDIA's toolkit. Those of the driver are in no wheel; which one a program gets is LD_LIBRARY_PATH's
// affair.
bool may_be_of_toolkit(const char* name) {
  return starts_with(name, "lib") && std::strstr(name, ".so") != nullptr && !starts_with(name, "libcuda.so") &&
         !starts_with(name, "libnvidia-") && !starts_with(name, "libnvmlkit");
}

struct Folder {
  Path path{};

  Folder() {
    Dl_info about{};
    if (dladdr(reinterpret_cast<const void*>(&own_folder), &about) == 0 || about.dli_fname == nullptr) return;
    const char* const end = std::strrchr(about.dli_fname, '/');
    const auto length = end == nullptr ? 0 : static_cast<std::size_t>(end - about.dli_fname) + 1;
    if (length < sizeof path) std::memcpy(path, about.dli_fname, length);
  }
};

}  // namespace

const char* own_folder() {
  static const Folder folder;
  return folder.path;
}

bool find_ours(const char* wanted, Path& path) {
  const char* const slash = std::strrchr(wanted, '/');
  const char* const name = slash == nullptr ? wanted : slash + 1;
  const char* const folder = own_folder();
  if (!may_be_of_toolkit(name) || *folder == '\0') return false;
  const auto length = std::strlen(folder);
  if (length + std::strlen(name) >= sizeof path) return false;
  std::memcpy(path, folder, length);
  std::strcpy(path + length, name);
  return access(path, R_OK) == 0;
}

}  // namespace nvmlkit::audit
