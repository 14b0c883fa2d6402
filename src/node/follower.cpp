#include "node/follower.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "sim/state/follow.hpp"

namespace nvmlkit::node {
namespace {

int make_event(int flags) {
  const int fd = eventfd(0, EFD_CLOEXEC | flags);
  if (fd < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  return fd;
}

void tell(int fd) { (void)!eventfd_write(fd, 1); }

}  // namespace

Follower::Follower(const sim::Machine& machine)
    : machine_(machine), changed_(make_event(EFD_NONBLOCK)), armed_(make_event(0)), thread_([this] { follow(); }) {}

Follower::~Follower() {
  stopping_ = true;
  sim::state::wake_followers(machine_);
  tell(armed_);
  thread_.join();
  close(changed_);
  close(armed_);
}

void Follower::arm(std::uint32_t seen) {
  eventfd_t ignored = 0;
  (void)!eventfd_read(changed_, &ignored);
  seen_ = seen;
  tell(armed_);
}

// A stop before the wait is a change of the count, so that no wait begins after it.
void Follower::follow() {
  for (eventfd_t times = 0; !stopping_;) {
    if (eventfd_read(armed_, &times) != 0) continue;
    while (!stopping_ && sim::state::count_changes(machine_) == seen_)
      sim::state::wait_for_change(machine_, seen_, nullptr);
    tell(changed_);
  }
}

}  // namespace nvmlkit::node
