#include "sim/state/follow.hpp"

#include <cstring>

#include "sim/events/ring.hpp"
#include "sim/state/attention.hpp"
#include "sim/state/read.hpp"

namespace nvmlkit::sim::state {

std::uint32_t count_changes(const Machine& machine) { return storage::count_changes(machine.header().changes); }

void wait_for_change(const Machine& machine, std::uint32_t seen, const timespec* deadline) {
  storage::wait_for_change(machine.header().changes, seen, deadline);
}

void wake_followers(const Machine& machine) { storage::announce(machine.header().changes); }

bool copy_now(const Machine& machine, Machine& copy) {
  const auto from = machine.gpus();
  const auto to = copy.gpus();
  if (from.size() != to.size()) return false;
  const bool whole = consistently(machine, machine.sequence(), [&] {
    std::memcpy(static_cast<void*>(&copy.host()), &machine.host(), sizeof(model::Machine));
    std::memcpy(static_cast<void*>(to.data()), from.data(), from.size_bytes());
    copy.attention().machine.store(machine.attention().machine.load(std::memory_order_relaxed),
                                   std::memory_order_relaxed);
  });
  if (!whole) return false;
  update_attention(copy);
  events::copy(machine.events(), copy.events());
  return true;
}

}  // namespace nvmlkit::sim::state
