#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

#include <cstdlib>

#include "platform/platform.hpp"

namespace nvmlkit::nvml::platform {

namespace {

// A program without a dynamic linker. There dlopen() would bring a second C library into the process, which crashes
// unless it is of the very build that the program was linked with.
bool statically_linked() {
  int interpreters = 0;
  ::dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* count) {
        for (int i = 0; i < object->dlpi_phnum; ++i)
          if (object->dlpi_phdr[i].p_type == PT_INTERP) ++*static_cast<int*>(count);
        return 1;  // the program itself comes first
      },
      &interpreters);
  return interpreters == 0;
}

}  // namespace

void* dl_open(const std::string& path, std::string& reason) {
  static const bool impossible = statically_linked();
  if (impossible) {
    reason = "this program is linked statically and cannot load shared libraries; link it without -static";
    return nullptr;
  }
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
