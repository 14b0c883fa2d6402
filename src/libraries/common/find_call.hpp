// A function of a loaded library, by its name.
#pragma once

#include <dlfcn.h>

namespace nvmlkit::libraries {

// False: the library has none.
template <class Function>
bool find_call(void* library, const char* name, Function& out) {
  out = reinterpret_cast<Function>(dlsym(library, name));
  return out != nullptr;
}

}  // namespace nvmlkit::libraries
