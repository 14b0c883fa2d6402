#include "libraries/common/unsupported.hpp"

#include <cstdio>
#include <mutex>
#include <set>
#include <string>

#include "base/never_destroyed.hpp"

namespace nvmlkit::libraries {
namespace {

bool is_new(const std::string& text) {
  static std::mutex mutex;
  static NeverDestroyed<std::set<std::string>> said;
  const std::lock_guard lock(mutex);
  return said->insert(text).second;
}

void say(const std::string& text) {
  if (is_new(text)) std::fprintf(stderr, "nvmlkit: %s is not simulated\n", text.c_str());
}

}  // namespace

void note_unsupported(const char* function) { say(function); }
void note_unsupported(const char* function, const char* what) { say(std::string(function) + " " + what); }

}  // namespace nvmlkit::libraries
