#include "libraries/common/soname.hpp"

#include <dlfcn.h>

#include <cstring>

namespace nvmlkit::libraries {
namespace {

const char place = 0;  // in the library, for dladdr

}  // namespace

bool is_loaded_as(const char* soname) {
  Dl_info info{};
  return dladdr(&place, &info) != 0 && info.dli_fname && std::strstr(info.dli_fname, soname) != nullptr;
}

}  // namespace nvmlkit::libraries
