// The functions that the dynamic linker calls: see rtld-audit(7).
#include <link.h>

#include <cstdint>
#include <cstring>

#include "audit/ours.hpp"

#define NVMLKIT_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

// What the linker keeps for each object: whether it is one of ours. Ours may load NVIDIA's libraries, as libnvrtc does.
constexpr std::uintptr_t kOurs = 1, kForeign = 2;

}  // namespace

NVMLKIT_EXPORT unsigned la_version(unsigned theirs) { return theirs < LAV_CURRENT ? theirs : LAV_CURRENT; }

NVMLKIT_EXPORT unsigned la_objopen(link_map* object, Lmid_t, std::uintptr_t* cookie) {
  const char* const folder = nvmlkit::audit::own_folder();
  *cookie = std::strncmp(object->l_name, folder, std::strlen(folder)) == 0 ? kOurs : kForeign;
  return 0;  // no calls are audited
}

// The name as the program wrote it comes before RPATH and LD_LIBRARY_PATH are looked at. A path with a slash ends the
// search.
NVMLKIT_EXPORT char* la_objsearch(const char* name, std::uintptr_t* cookie, unsigned where) {
  static thread_local nvmlkit::audit::Path path;
  const bool replaced = where == LA_SER_ORIG && *cookie != kOurs && nvmlkit::audit::find_ours(name, path);
  return replaced ? path : const_cast<char*>(name);
}
