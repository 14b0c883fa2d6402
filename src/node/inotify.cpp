#include "node/inotify.hpp"

#include <fcntl.h>
#include <sys/inotify.h>

#include <cerrno>

namespace nvmlkit::node {
namespace {

constexpr const char* kCall = "inotify_init1";

// The kernel reports both limits as the same error.
bool may_open_files() { return static_cast<bool>(Descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC))); }

}  // namespace

NoMoreInstances::NoMoreInstances() : std::system_error(EMFILE, std::generic_category(), kCall) {}

Descriptor open_inotify() {
  Descriptor out(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (out) return out;
  const int error = errno;
  if (error == EMFILE && may_open_files()) throw NoMoreInstances();
  throw std::system_error(error, std::generic_category(), kCall);
}

}  // namespace nvmlkit::node
