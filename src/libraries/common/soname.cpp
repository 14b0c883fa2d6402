#include "libraries/common/soname.hpp"

#include <dlfcn.h>

namespace nvmlkit::libraries {
namespace {

const char place = 0;  // in the library, for dladdr

}  // namespace

std::string own_path() {
  Dl_info info{};
  return dladdr(&place, &info) != 0 && info.dli_fname ? info.dli_fname : "";
}

bool is_loaded_as(const char* soname) { return own_path().find(soname) != std::string::npos; }

}  // namespace nvmlkit::libraries
