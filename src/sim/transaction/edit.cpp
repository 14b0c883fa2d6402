#include "sim/transaction/edit.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "sim/links/links.hpp"
#include "sim/state/attention.hpp"
#include "sim/telemetry/change.hpp"
#include "sim/transaction/client.hpp"

namespace nvmlkit::sim::transaction {

void Edit::Free::operator()(model::Gpu* gpu) const { std::free(gpu); }

Edit::Edit(const state::Lock& lock, std::size_t gpu)
    : lock_(lock), index_(gpu), copy_(static_cast<model::Gpu*>(std::malloc(sizeof(model::Gpu)))) {
  if (copy_) std::memcpy(static_cast<void*>(copy_.get()), &lock.machine().gpus()[gpu], sizeof(model::Gpu));
}

void Edit::commit() {
  const auto& machine = lock_.machine();
  const model::Gpu& gpu = machine.gpus()[index_];
  telemetry::settle(machine, gpu, *copy_);
  links::settle(machine, gpu, *copy_);
  const events::Noted noted = std::exchange(copy_->events, {});
  const auto availability = gpu.faults.availability;
  const bool attention = state::needs_attention(gpu) || state::needs_attention(*copy_);
  // Before and after: a writer that dies between has not hidden a fault.
  if (attention) machine.attention().watched.store(1, std::memory_order_release);
  write();
  if (attention) state::update_attention(machine);
  publish(noted, gpu.faults.availability != availability);
  settle_peers();
}

// Only the bytes from the first to the last difference.
void Edit::write() {
  constexpr std::size_t kStep = 64;
  const auto* now = reinterpret_cast<const std::byte*>(&lock_.machine().gpus()[index_]);
  const auto* wanted = reinterpret_cast<const std::byte*>(copy_.get());
  std::size_t first = sizeof(model::Gpu), last = 0;
  for (std::size_t at = 0; at < sizeof(model::Gpu); at += kStep) {
    const std::size_t size = std::min(kStep, sizeof(model::Gpu) - at);
    if (std::memcmp(now + at, wanted + at, size) == 0) continue;
    first = std::min(first, at);
    last = at + size;
  }
  if (first < last) (void)lock_.replace(now + first, wanted + first, last - first);  // a GPU has its room on disk
}

void Edit::publish(const events::Noted& noted, bool availability_changed) const {
  auto& ring = lock_.machine().events();
  const auto count = std::min(noted.count, events::Noted::kCapacity);
  events::Process client;
  if (std::any_of(noted.events, noted.events + count, events::has_record))
    client = client_of(lock_.machine().process_table(index_));
  for (std::uint32_t i = 0; i < count; ++i)
    events::publish(ring, static_cast<std::uint32_t>(index_), noted.events[i], client);
  if (availability_changed) events::ring_bell(ring);
}

void Edit::settle_peers() const {
  const auto& machine = lock_.machine();
  if (links::count(machine.gpus()[index_]) == 0) return;
  for (const auto& peer : machine.gpus())
    if (const auto changed = links::settled_peer(machine, peer, index_)) (void)lock_.replace(peer.links, *changed);
}

}  // namespace nvmlkit::sim::transaction
