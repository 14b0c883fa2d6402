// The bindings' interface to the operating system. One implementation file per system.
#pragma once

#include <string>
#include <vector>

namespace nvmlkit::nvml::platform {

// Opens a shared library. Null on failure, with the linker's reason.
void* dl_open(const std::string& path, std::string& reason);
void* dl_symbol(void* handle, const char* name);
void dl_close(void* handle) noexcept;

// The default places of the NVML library, in order.
std::vector<std::string> default_library_names();

// Empty when unset, and in programs that run with more rights than their user.
std::string environment(const char* name);

// Calls these around every fork from now on. Only the first call does anything.
void on_fork(void (*before)(), void (*in_parent)(), void (*in_child)());

}  // namespace nvmlkit::nvml::platform
