#include "sim/state/lock.hpp"

#include "sim/state/attention.hpp"

namespace nvmlkit::sim::state {

// A dead writer may have died before it published its change.
Lock::Lock(const Machine& machine) : machine_(machine), lock_(machine.block()) {
  if (!*this || !lock_.recovered()) return;
  update_attention(machine);
  events::ring_bell(machine.events());
}

}  // namespace nvmlkit::sim::state
