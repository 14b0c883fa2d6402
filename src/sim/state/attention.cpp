#include "sim/state/attention.hpp"

#include <bit>

namespace nvmlkit::sim::state {
namespace {

std::uint64_t hidden_word(const Machine& machine, std::size_t word) {
  return machine.attention().hidden_gpus[word].load(std::memory_order_relaxed);
}

bool any_hidden(const Machine& machine) { return machine.attention().any_hidden.load(std::memory_order_acquire) != 0; }

}  // namespace

bool needs_attention(const model::Gpu& gpu) {
  const auto& state = gpu.faults;
  const bool may_fail = gpu.failure.mode && gpu.failure.mode->view() != "healthy";
  return state.availability != faults::Availability::available || state.inforom_corrupted != 0 || may_fail;
}

void update_attention(const Machine& machine) {
  auto& attention = machine.attention();
  bool watched = !machine.call_rules().empty();
  const bool none = attention.machine.load(std::memory_order_relaxed) == faults::MachineFault::no_devices;
  bool any = false;
  std::uint64_t words[kMaxGpus / 64] = {};
  const auto gpus = machine.gpus();
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    watched |= needs_attention(gpus[i]);
    if (!none && !faults::hidden(gpus[i].faults)) continue;
    any = true;
    words[i / 64] |= std::uint64_t{1} << (i % 64);
  }
  for (std::size_t i = 0; i < kMaxGpus / 64; ++i) attention.hidden_gpus[i].store(words[i], std::memory_order_relaxed);
  attention.any_hidden.store(any, std::memory_order_release);
  attention.watched.store(watched, std::memory_order_release);
}

bool is_visible(const Machine& machine, std::size_t place) {
  return place < machine.gpus().size() && (hidden_word(machine, place / 64) >> (place % 64) & 1) == 0;
}

std::size_t count_visible(const Machine& machine) {
  const auto all = machine.gpus().size();
  return any_hidden(machine) ? index_of_place(machine, all) : all;
}

std::size_t index_of_place(const Machine& machine, std::size_t place) {
  if (!any_hidden(machine)) return place;
  std::size_t index = place;
  for (std::size_t word = 0; word * 64 < place; ++word) {
    const auto bits = place - word * 64;
    const auto below = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    index -= static_cast<std::size_t>(std::popcount(hidden_word(machine, word) & below));
  }
  return index;
}

std::size_t place_of_index(const Machine& machine, std::size_t index) {
  const auto all = machine.gpus().size();
  if (!any_hidden(machine)) return index < all ? index : kMaxGpus;
  for (std::size_t place = 0; place < all; ++place)
    if (is_visible(machine, place) && index-- == 0) return place;
  return kMaxGpus;
}

}  // namespace nvmlkit::sim::state
