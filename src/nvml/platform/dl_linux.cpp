#include <dlfcn.h>
#include <pthread.h>

#include <cstdlib>

#include "platform/platform.hpp"

namespace nvmlkit::nvml::platform {

void* dl_open(const std::string& path, std::string& reason) {
  void* handle = ::dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (!handle) {
    const char* text = ::dlerror();
    reason = text ? text : "unknown reason";
  }
  return handle;
}

void* dl_symbol(void* handle, const char* name) { return ::dlsym(handle, name); }

void dl_close(void* handle) noexcept { ::dlclose(handle); }

std::vector<std::string> default_library_names() {
  // The unversioned name is last: it belongs to the development package, and drivers since 560 do not install it.
  return {"libnvidia-ml.so.1", "/usr/lib/wsl/lib/libnvidia-ml.so.1", "libnvidia-ml.so"};
}

std::string environment(const char* name) {
  const char* value = ::secure_getenv(name);
  return value ? value : "";
}

void on_fork(void (*before)(), void (*in_parent)(), void (*in_child)()) {
  static const int registered = ::pthread_atfork(before, in_parent, in_child);
  static_cast<void>(registered);
}

}  // namespace nvmlkit::nvml::platform
