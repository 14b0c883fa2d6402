#include "node/waiter.hpp"

#include <poll.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <string_view>
#include <system_error>

#include "node/inotify.hpp"

namespace nvmlkit::node {
namespace {

Descriptor take_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, signal);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  Descriptor out(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!out) throw std::system_error(errno, std::generic_category(), "signalfd");
  return out;
}

// Was one of the files that changed in the watched folder called `name`? An overflow counts as one.
bool read_names(int fd, std::string_view name) {
  bool found = false;
  alignas(inotify_event) std::array<char, 16 * (sizeof(inotify_event) + NAME_MAX + 1)> buffer;
  for (ssize_t size = 0; (size = read(fd, buffer.data(), buffer.size())) > 0;)
    for (ssize_t at = 0; at < size;) {
      inotify_event event;
      std::memcpy(&event, buffer.data() + at, sizeof event);
      const char* const text = buffer.data() + at + sizeof event;
      found |= (event.mask & IN_Q_OVERFLOW) != 0 || (event.len > 0 && std::string_view(text) == name);
      at += static_cast<ssize_t>(sizeof event + event.len);
    }
  return found;
}

}  // namespace

Waiter::Waiter() : signals_(take_signals()) {}

void Waiter::prepare() { files_ = open_inotify(); }

void Waiter::watch(const std::filesystem::path& file) {
  if (watched_ >= 0) inotify_rm_watch(files_.number(), watched_);
  name_ = file.filename();
  watched_ = inotify_add_watch(files_.number(), file.parent_path().c_str(), IN_CREATE | IN_MOVED_TO | IN_DELETE);
}

Waiter::Result Waiter::wait(const std::vector<int>& descriptors, std::optional<std::chrono::milliseconds> time) {
  std::vector<pollfd> polled{{signals_.number(), POLLIN, 0}, {files_.number(), POLLIN, 0}};
  for (const int descriptor : descriptors) polled.push_back({descriptor, POLLIN, 0});
  const auto ms = time ? std::clamp<std::chrono::milliseconds::rep>(time->count(), 0, INT_MAX) : -1;
  poll(polled.data(), polled.size(), static_cast<int>(ms));
  Result out;
  for (signalfd_siginfo signal{}; read(signals_.number(), &signal, sizeof signal) == sizeof signal;)
    (signal.ssi_signo == SIGHUP ? out.distrust : out.stop) = true;
  out.file = read_names(files_.number(), name_);
  return out;
}

}  // namespace nvmlkit::node
